import { describe, expect, test } from 'vitest';
import { allocatable } from '../../src/scheduling/instance-offerings.ts';
import { toResourceList } from '../../src/scheduling/resource-list.ts';
import { EC2_US_EAST_1 } from './ec2-catalogue.ts';
import { ec2InstanceTypes } from './ec2-instance-types.ts';
import { genericInstanceTypes, InstanceTypesError, parseInstanceTypes, toInstanceType } from './index.ts';
import { spotShare } from './spot-share.ts';
import upstream from './upstream-types.generated.json' with { type: 'json' };

describe('the made-up catalogue', () => {
  test('has the types, sizes and prices of upstream, in its order', () => {
    const facts = genericInstanceTypes().map((type) => {
      const prices = type.offerings.map((o) => o.Price);
      return [type.name, type.resources.pods, type.resources.memory, Math.min(...prices), Math.max(...prices)];
    });
    expect(facts).toEqual(upstream);
  });

  test('sells every type in four zones, spot and on demand', () => {
    for (const type of genericInstanceTypes().map(toInstanceType)) {
      const sold = type.offerings.map((o) =>
        ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type']
          .map((key) => o.requirements.get(key).any())
          .join(),
      );
      expect(new Set(sold).size).toBe(8);
    }
  });
});

describe('the catalogue of EC2', () => {
  const types = ec2InstanceTypes(EC2_US_EAST_1);
  const named = (name: string) => types.find((type) => type.name === name);

  test('is what a catalogue file may be', () => {
    expect(parseInstanceTypes(JSON.stringify(types))).toEqual(types);
  });

  // What Karpenter's EC2 provider computes from the same data.
  test.each([
    ['m5.large', 'amd64', { cpu: '2', memory: '7577Mi', pods: '29' }],
    ['m6g.large', 'arm64', { cpu: '2', memory: '7518Mi', pods: '29' }],
    ['t3.micro', 'amd64', { cpu: '2', memory: '947Mi', pods: '4' }],
    ['m5.24xlarge', 'amd64', { cpu: '96', memory: '363724Mi', pods: '737' }],
    ['g5.12xlarge', 'amd64', { 'nvidia.com/gpu': '4' }],
    ['inf2.48xlarge', 'amd64', { 'aws.amazon.com/neuron': '12' }],
  ])('gives %s its real size', (name, architecture, resources) => {
    expect(named(name)).toMatchObject({ architecture, resources });
  });

  test('sells a type in the zones that have it, at its list price and as spot for less', () => {
    const sold = named('m5.large')?.offerings.map(({ Price, Requirements: items }) => [
      ...items.flatMap(({ values = [] }) => values),
      Price,
    ]);
    expect(sold).toHaveLength(10);
    expect(sold).toContainEqual(['on-demand', 'us-east-1a', 'use1-az6', 0.096]);
    expect(sold).toContainEqual(['on-demand', 'us-east-1f', 'use1-az5', 0.096]);
    expect(sold?.flat()).not.toContain('us-east-1e');
  });
});

describe('spot prices of the catalogue of EC2', () => {
  const shares = EC2_US_EAST_1.types.flatMap((type) => [...type.zones].map((zone) => spotShare(type, zone)));

  test('are a share of the list price, from less than a third to nine tenths', () => {
    expect(Math.min(...shares)).toBeGreaterThan(0.25);
    expect(Math.min(...shares)).toBeLessThan(0.33);
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.9);
    const sum = shares.reduce((total, share) => total + share, 0);
    expect(sum / shares.length).toBeGreaterThan(0.4);
    expect(sum / shares.length).toBeLessThan(0.6);
  });

  test('differ between families and, less, between the zones of a type', () => {
    const m5 = { name: 'm5.large', devices: {} };
    const [a, b] = [spotShare(m5, 'us-east-1a'), spotShare(m5, 'us-east-1b')];
    expect(a).not.toBe(b);
    expect(Math.abs(a / b - 1)).toBeLessThan(0.11);
    expect(new Set(shares).size).toBeGreaterThan(300);
  });
});

describe('the catalogue of EC2, to core', () => {
  const m5d = ec2InstanceTypes(EC2_US_EAST_1)
    .map(toInstanceType)
    .find(({ name }) => name === 'm5d.large');

  test('has the labels of the EC2 provider, also those that the type has not', () => {
    const label = (name: string) => m5d?.requirements.get(name);
    const value = (name: string) => label(`karpenter.k8s.aws/instance-${name}`)?.any();
    expect(
      ['category', 'family', 'generation', 'size', 'cpu', 'memory', 'local-nvme', 'hypervisor'].map(value),
    ).toEqual([...['m', 'm5d', '5', 'large', '2', '8192', '75', 'nitro']]);
    expect(label('karpenter.k8s.aws/instance-gpu-count')?.operator).toBe('DoesNotExist');
    expect(label('topology.kubernetes.io/region')?.any()).toBe('us-east-1');
    expect([...(label('topology.k8s.aws/zone-id')?.values ?? [])]).toContain('use1-az6');
  });

  // Golden numbers of aws-provider.md section 30, for AL2023.
  test('leaves as much to pods as the EC2 provider says', () => {
    const m5 = ec2InstanceTypes(EC2_US_EAST_1)
      .map(toInstanceType)
      .find(({ name }) => name === 'm5.large');
    const left = m5 && toResourceList(allocatable(m5));
    expect(left).toMatchObject({ cpu: '1930m', memory: '6903Mi', pods: '29', 'ephemeral-storage': '17Gi' });
  });
});

describe('an instance type', () => {
  const aws = (name: string, resources: Record<string, string> = { cpu: '16', memory: '64Gi' }) =>
    toInstanceType({ name, architecture: 'amd64', operatingSystems: ['linux'], resources, offerings: [] });
  const label = (type: ReturnType<typeof aws>, suffix: string) =>
    type.requirements.get(`karpenter.kwok.sh/instance-${suffix}`).any();

  test.each([
    ['g5.4xlarge', '4xlarge', 'g5'],
    ['n2-standard-16', '16', 'n2'],
    ['Standard_D4', '16', 'S'],
    ['c-1x-amd64-linux', '16', 'c'],
  ])('%s has size %s and family %s', (name, size, family) => {
    const type = aws(name);
    expect([label(type, 'size'), label(type, 'family')]).toEqual([size, family]);
  });

  test('writes its cpu and memory labels in canonical form and allows 110 pods unless told', () => {
    const type = aws('a.large', { cpu: '2000m', memory: '2048Mi' });
    expect([label(type, 'cpu'), label(type, 'memory')]).toEqual(['2', '2Gi']);
    expect(type.capacity.pods).toBe(110_000);
  });
});

describe('a catalogue file', () => {
  const valid = {
    name: 'a1',
    architecture: 'arm64',
    operatingSystems: ['linux'],
    resources: { cpu: '1', memory: '2Gi' },
    offerings: [
      {
        Price: 0.1,
        Available: false,
        Requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] }],
      },
    ],
  };
  const parse = (changes: object) => parseInstanceTypes(JSON.stringify([{ ...valid, ...changes }]));

  test('is read, and everything in it is for sale', () => {
    expect(parse({})[0]).toMatchObject({ name: 'a1', offerings: [{ Price: 0.1, Available: true }] });
  });

  test('as upstream generates it comes back the same', () => {
    const types = genericInstanceTypes();
    expect(parseInstanceTypes(JSON.stringify(types))).toEqual(types);
  });

  test.each<[string, object | string, RegExp]>([
    ['no JSON', 'a: 1', /^not JSON/],
    ['no list', '{}', /expected a list, got an object/],
    ['no name', { name: undefined }, /^\[0\]\.name: expected a non-empty string, got nothing/],
    [
      'a bad quantity',
      { resources: { cpu: 'lots', memory: '1Gi' } },
      /^\[0\]\.resources\.cpu: "lots" is not a quantity/,
    ],
    ['no memory', { resources: { cpu: '1' } }, /^\[0\]\.resources: has no memory/],
    ['a price as text', { offerings: [{ Price: '1', Requirements: [] }] }, /offerings\[0\]\.Price: expected a price/],
    [
      'an unknown operator',
      { offerings: [{ Price: 1, Requirements: [{ key: 'a', operator: 'Is' }] }] },
      /unknown operator "Is"/,
    ],
    [
      'the shape of upstream’s old example',
      { offerings: [{ zone: 'z', capacityType: 'spot', price: 1 }] },
      /list them in Requirements/,
    ],
  ])('with %s is refused, and the message says where', (_, changes, message) => {
    const read = () => (typeof changes === 'string' ? parseInstanceTypes(changes) : parse(changes));
    expect(read).toThrow(InstanceTypesError);
    expect(read).toThrow(message);
  });

  test('may not name a type twice', () => {
    expect(() => parseInstanceTypes(JSON.stringify([valid, valid]))).toThrow('"a1" is in the list twice');
  });
});
