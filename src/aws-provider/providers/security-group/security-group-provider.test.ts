import { expect, test } from 'vitest';
import { scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { SecurityGroupSelectorTerm } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { SecurityGroups } from './security-group-provider.ts';

const group = (id: string) => ({ GroupId: id, GroupName: `name-of-${id}` });

function provider(describe: Ec2Api['describeSecurityGroups']) {
  const clock = new VirtualClock();
  const ec2 = scriptedApi<Pick<Ec2Api, 'describeSecurityGroups'>>({ describeSecurityGroups: describe });
  const groups = new SecurityGroups({ ec2: ec2.api, clock, log: SILENT });
  return { clock, groups, queries: () => ec2.inputs('describeSecurityGroups') };
}

const selecting = (...securityGroupSelectorTerms: readonly SecurityGroupSelectorTerm[]) =>
  ec2NodeClass({ spec: { securityGroupSelectorTerms } });

test('12: ids are asked for at once, names too, and each term of tags by itself', async () => {
  const { groups, queries } = provider(async () => ({ SecurityGroups: [group('sg-1')] }));
  await groups.list(
    selecting(
      { id: 'sg-1' },
      { name: 'one' },
      { tags: { team: 'a', any: '*' } },
      { id: 'sg-2' },
      { name: 'two' },
      { tags: { team: 'b*' } },
    ),
  );
  expect(queries()).toEqual([
    {
      Filters: [
        { Name: 'tag:team', Values: ['a'] },
        { Name: 'tag-key', Values: ['any'] },
      ],
      MaxResults: 500,
    },
    { Filters: [{ Name: 'tag:team', Values: ['b*'] }], MaxResults: 500 },
    { Filters: [{ Name: 'group-id', Values: ['sg-1', 'sg-2'] }], MaxResults: 500 },
    { Filters: [{ Name: 'group-name', Values: ['one', 'two'] }], MaxResults: 500 },
  ]);
});

test('12: nothing is asked of ids or names when no term has one', async () => {
  const { groups, queries } = provider(async () => ({ SecurityGroups: [] }));
  await groups.list(selecting({ tags: { team: 'a' } }));
  expect(queries()).toEqual([{ Filters: [{ Name: 'tag:team', Values: ['a'] }], MaxResults: 500 }]);
});

test('12: all pages are read, and a group that several terms find counts once', async () => {
  const { groups } = provider(async ({ NextToken, Filters }) => {
    if (Filters?.[0]?.Name === 'group-id') return { SecurityGroups: [group('sg-2')] };
    return NextToken === 'more'
      ? { SecurityGroups: [group('sg-2')] }
      : { SecurityGroups: [group('sg-1')], NextToken: 'more' };
  });
  const found = await groups.list(selecting({ id: 'sg-2' }, { tags: { team: 'a' } }));
  expect(found.map(({ GroupId }) => GroupId)).toEqual(['sg-1', 'sg-2']);
});

test('3: groups are asked for again after a minute, and as soon as the spec has been edited', async () => {
  const { clock, groups, queries } = provider(async () => ({ SecurityGroups: [] }));
  const nodeClass = selecting({ id: 'sg-1' });
  await groups.list(nodeClass);
  await clock.advance(59_000);
  await groups.list(nodeClass);
  expect(queries()).toHaveLength(1);
  await groups.list({ ...nodeClass, metadata: { ...nodeClass.metadata, generation: 2 } });
  expect(queries()).toHaveLength(2);
  await clock.advance(2_000);
  await groups.list(nodeClass);
  expect(queries()).toHaveLength(3);
});
