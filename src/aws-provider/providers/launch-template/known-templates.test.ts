import { expect, test } from 'vitest';
import { instanceType, launchTemplateWorld, TAGS, userDataOf } from '../../../../test/aws/launch-template-world.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { nodeClaim, type Overrides } from '../../../../test/factories/index.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';

const nodeClass = ec2NodeClass({
  metadata: { name: 'default' },
  status: { amis: [{ id: 'ami-1', requirements: [] }], securityGroups: [{ id: 'sg-1' }], instanceProfile: 'profile' },
});
const types = [instanceType('m5.large', 29, { 'vpc.amazonaws.com/efa': 1 })];

interface Launched {
  readonly claim?: Overrides<NodeClaim>;
  readonly capacityType?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly tenancy?: string;
}

/** The one template of each launch for the same class and types. */
async function launched(...launches: readonly Launched[]) {
  const world = launchTemplateWorld();
  await world.templates.resolveClusterCIDR();
  const names: string[] = [];
  for (const { claim, capacityType = 'on-demand', tags = TAGS, tenancy = 'default' } of launches) {
    const made = await world.templates.ensureAll(nodeClass, nodeClaim(claim), types, capacityType, tags, tenancy);
    names.push(...made.map(({ name }) => name));
  }
  return { world, names };
}

test('16: claims that are alike have one template, which is looked for and made once', async () => {
  const { world, names } = await launched({}, { claim: { metadata: { name: 'other' } } }, {});
  expect(new Set(names).size).toBe(1);
  expect(
    ['describeLaunchTemplates', 'createLaunchTemplate'].map((call) => world.aws.calls.inputs(call as never)),
  ).toEqual([[{ LaunchTemplateNames: [names[0]] }], [expect.objectContaining({ LaunchTemplateName: names[0] })]]);
});

test.each<[string, Launched]>([
  ['labels', { claim: { metadata: { labels: { team: 'a' } } } }],
  ['taints', { claim: { spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } } }],
  ['startup taints', { claim: { spec: { startupTaints: [{ key: 'team', effect: 'NoSchedule' }] } } }],
  ['fabric adapters', { claim: { spec: { resources: { requests: { 'vpc.amazonaws.com/efa': '1' } } } } }],
  ['enclaves', { claim: { spec: { resources: { requests: { 'eks.amazonaws.com/nitro-sandbox': '1' } } } } }],
  ['the capacity type', { capacityType: 'spot' }],
  ['tags', { tags: { ...TAGS, team: 'a' } }],
  ['the tenancy', { tenancy: 'dedicated' }],
])('16: claims that differ in %s have two', async (_, other) => {
  const { names } = await launched({}, other, {});
  expect(names[0]).not.toBe(names[1]);
  expect(names[2]).toBe(names[0]);
});

test('16: what is asked for in another amount is alike', async () => {
  const requests = (cpu: string) => ({ claim: { spec: { resources: { requests: { cpu } } } } });
  const { names } = await launched(requests('1'), requests('2'));
  expect(names[0]).toBe(names[1]);
});

test('16: templates tell the certificate and the addresses of the cluster, each in its name', async () => {
  const name = async (deps: Parameters<typeof launchTemplateWorld>[0]) => {
    const world = launchTemplateWorld(deps);
    const data = await world.content();
    return { name: world.names()[0], text: userDataOf(data) };
  };
  const [one, two] = [await name({}), await name({ caBundle: 'b3RoZXI=' })];
  expect(one.name).not.toBe(two.name);
  expect([one.text, two.text].map((text) => /certificateAuthority: (.*)/.exec(text)?.[1])).toEqual([
    'Y2EtYnVuZGxl',
    'b3RoZXI=',
  ]);
});
