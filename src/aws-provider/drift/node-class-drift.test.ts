import { beforeEach, describe, expect, test } from 'vitest';
import { AMIS, LaunchRig } from '../../../test/aws/launch-rig.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const STAMPS = { [HASH]: 'hash', [VERSION]: 'v6' };
const TYPE = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] } as const;

let rig: LaunchRig;
let nodeClass: EC2NodeClass;
let claim: NodeClaim;

/** A claim on the class as it is, or as told. */
async function open(spec: object = {}, requirements: readonly object[] = [TYPE]): Promise<void> {
  nodeClass = await rig.start({ metadata: { annotations: STAMPS }, spec } as never);
  claim = await rig.create(rig.claim({ spec: { requirements: requirements as never } }));
  rig.aws.calls.clear();
}

beforeEach(async () => {
  rig = new LaunchRig();
  await open();
});

/** Changes what the class has found, or its own annotations. */
function change(status: Partial<EC2NodeClass['status']>, annotations: Readonly<Record<string, string>> = STAMPS): void {
  const changed = { ...nodeClass, metadata: { ...nodeClass.metadata, annotations } };
  rig.classes.set('default', { ...changed, status: { ...nodeClass.status, ...status } } as EC2NodeClass);
}

const drift = async (of: NodeClaim = claim): Promise<string> => await rig.finish(rig.cloud.isDrifted(of));
const relabelled = (labels: Readonly<Record<string, string>>): NodeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, labels: { ...claim.metadata.labels, ...labels } },
});
const asked = (): readonly string[] => rig.aws.calls.all.map(({ name }) => name);

test('8: a node that is what its class asks for has not drifted', async () => {
  expect(await drift()).toBe('');
});

describe('8: the hash', () => {
  test('tells that the class’s own fields have changed, before anything is asked', async () => {
    change({ amis: [], subnets: [], securityGroups: [] }, { ...STAMPS, [HASH]: 'other' });
    expect(await drift()).toBe('NodeClassDrift');
    expect(asked()).toEqual([]);
  });

  test('says nothing against one of another version', async () => {
    change({}, { [HASH]: 'other', [VERSION]: 'v7' });
    expect(await drift()).toBe('');
  });

  test.each([HASH, VERSION])('says nothing while the class or the claim has no %s', async (missing) => {
    const others: Readonly<Record<string, string>> = { [HASH]: 'other', [VERSION]: 'v6' };
    const { [missing]: _, ...left } = others;
    change({}, left);
    expect(await drift()).toBe('');
    change({}, others);
    const { [missing]: __, ...annotations } = claim.metadata.annotations ?? {};
    expect(await drift({ ...claim, metadata: { ...claim.metadata, annotations } })).toBe('');
  });
});

describe('8: the image', () => {
  const [standard, arm, ...others] = AMIS;

  test('of another choice for the type is drift, before the instance is asked for', async () => {
    change({ amis: [{ id: 'ami-new', requirements: standard?.requirements ?? [] }, ...AMIS], securityGroups: [] });
    expect(await drift()).toBe('AMIDrift');
    expect(asked()).toEqual([]);
  });

  test('of another architecture is nobody’s concern', async () => {
    change({ amis: [standard, { ...arm, id: 'ami-new' }, ...others] as never });
    expect(await drift()).toBe('');
  });

  test('can not be told about a type that is not sold, without images, or without the claim’s', async () => {
    const strange = relabelled({ 'node.kubernetes.io/instance-type': 'x9.large' });
    const where = 'calculating ami drift, ';
    await expect(drift(strange)).rejects.toThrow(`${where}finding node instance type (instance-type=x9.large)`);
    const { imageID: _, ...status } = claim.status ?? {};
    await expect(drift({ ...claim, status })).rejects.toThrow(`${where}no ami ID found in nodeClaim status`);
    change({ amis: [] });
    await expect(drift()).rejects.toThrow(`${where}no amis exist given constraints`);
  });
});

describe('8: security groups', () => {
  const groups = () => nodeClass.status?.securityGroups ?? [];

  test('are compared as sets', async () => {
    change({ securityGroups: groups().toReversed() });
    expect(await drift()).toBe('');
    change({ securityGroups: [...groups(), { id: 'sg-more' }] });
    expect(await drift()).toBe('SecurityGroupDrift');
    change({ securityGroups: groups().slice(1), subnets: [{ id: 'subnet-other', zone: 'us-west-2a' }] });
    expect(await drift()).toBe('SecurityGroupDrift');
  });

  test('can not be told while the class has none', async () => {
    change({ securityGroups: [] });
    await expect(drift()).rejects.toThrow(
      'calculating securitygroup drift, no security groups are present in the status',
    );
  });
});

describe('8: the subnet', () => {
  test('has to be one of the class’s', async () => {
    change({ subnets: [{ id: 'subnet-other', zone: 'us-west-2a' }] });
    expect(await drift(relabelled({ 'karpenter.k8s.aws/placement-group-id': 'pg-1' }))).toBe('SubnetDrift');
  });

  test('can not be told while the class has none', async () => {
    change({ subnets: [] });
    await expect(drift()).rejects.toThrow('no subnets found');
  });
});

describe('8: the capacity reservation', () => {
  beforeEach(async () => {
    rig.reserve();
    const reserved = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] };
    await open({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] }, [reserved]);
    await drift();
    rig.aws.calls.clear();
  });

  test('has to be one of the class’s, which is looked up again before it is said', async () => {
    expect(await drift()).toBe('');
    expect(asked()).toEqual([]);
    change({ capacityReservations: [] });
    expect(await drift(relabelled({ 'karpenter.k8s.aws/placement-group-id': 'pg-1' }))).toBe(
      'CapacityReservationDrift',
    );
    expect(asked()).toEqual(['describeInstances']);
  });

  test('does not count for an instance that is out of it', async () => {
    const instance = [...rig.aws.cloud.instances.values()].at(-1);
    delete instance?.data.CapacityReservationId;
    change({ capacityReservations: [] });
    expect(await drift()).toBe('');
  });
});

describe('8: the placement group', () => {
  const GROUP = 'karpenter.k8s.aws/placement-group-id';

  test('has to be the class’s, be it none', async () => {
    expect(await drift(relabelled({ [GROUP]: 'pg-1' }))).toBe('PlacementGroupDrift');
    rig.aws.cloud.placementGroups.push({ GroupId: 'pg-1', GroupName: 'g', Strategy: 'cluster', State: 'available' });
    const selecting = { ...nodeClass, spec: { ...nodeClass.spec, placementGroupSelector: { name: 'g' } } };
    rig.classes.set('default', selecting);
    expect(await drift(relabelled({ [GROUP]: 'pg-1' }))).toBe('');
    expect(await drift(relabelled({ [GROUP]: 'pg-2' }))).toBe('PlacementGroupDrift');
    expect(await drift()).toBe('PlacementGroupDrift');
  });
});

describe('8: nothing has drifted', () => {
  beforeEach(() => change({}, { ...STAMPS, [HASH]: 'other' }));

  test('of a claim without pool', async () => {
    const { 'karpenter.sh/nodepool': _, ...labels } = claim.metadata.labels ?? {};
    expect(await drift({ ...claim, metadata: { ...claim.metadata, labels } })).toBe('');
    rig.pools.clear();
    expect(await drift()).toBe('');
    expect(rig.events).toEqual([]);
  });

  test('while the class is missing or goes, which the pool is told', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    rig.classes.set('default', { ...nodeClass, metadata: { ...nodeClass.metadata, deletionTimestamp } });
    expect(await drift()).toBe('');
    rig.classes.clear();
    expect(await drift()).toBe('');
    expect(rig.events.map(({ object, type, message }) => [object.metadata.name, type, message])).toEqual([
      ['pool', 'Warning', 'Failed resolving NodeClass'],
      ['pool', 'Warning', 'Failed resolving NodeClass'],
    ]);
  });
});
