/** From a claim to a fleet, and back to a claim (aws-provider.md section 17). */
import { beforeEach, describe, expect, test } from 'vitest';
import { LaunchRig } from '../../test/aws/launch-rig.ts';
import { capacityTypes, types, zones } from '../../test/aws/requirements.ts';
import type { Overrides } from '../../test/factories/index.ts';
import { CreateError, causeOf, InsufficientCapacityError, NodeClassNotReadyError } from '../cloudprovider/errors.ts';
import type { EC2NodeClass } from './apis/ec2-node-class.ts';

const GROUP = 'karpenter.k8s.aws';
const ON_DEMAND = capacityTypes('on-demand');
const SPOT = capacityTypes('spot');

let rig: LaunchRig;
beforeEach(() => {
  rig = new LaunchRig();
});

const launch = async (requirements: readonly object[]) =>
  await rig.create(rig.claim({ spec: { requirements: requirements as never } }));

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (e: unknown) => e,
  );

describe('17.1, 17.2: a claim fails', () => {
  test.each([
    ['missing', undefined, 'ec2nodeclasses.karpenter.k8s.aws "default" not found'],
    [
      'on its way out',
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'ec2nodeclasses.karpenter.k8s.aws "default" is terminating, treating as not found',
    ],
  ])('for want of capacity when its class is %s, and it is told', async (_, overrides, message) => {
    await rig.start(overrides ?? {});
    if (!overrides) rig.classes.clear();
    const error = causeOf(await failure(launch([])), InsufficientCapacityError);
    expect(error?.message).toBe(`insufficient capacity, resolving nodeclass, ${message}`);
    expect(rig.events).toMatchObject([{ type: 'Warning', message: 'Failed resolving NodeClass' }]);
    expect(rig.fleets).toEqual([]);
  });

  const condition = (status: string, observedGeneration = 1) => ({
    status: { conditions: [{ type: 'Ready', status, observedGeneration, message: 'no subnets' }] },
  });

  test.each([
    ['not ready', condition('False'), 'NodeClassRef not ready, no subnets'],
    [
      'ready as it was before it was edited',
      condition('True', 0),
      'NodeClassRef not ready, nodeclass status has not been reconciled against the latest spec',
    ],
    [
      'setting tags of Karpenter',
      { spec: { tags: { 'karpenter.sh/nodepool': 'own' } } },
      'NodeClassRef not ready, tags failed validation requirements (tags="karpenter.sh/nodepool")',
    ],
  ])('because its class is %s', async (_, overrides, message) => {
    await rig.start(overrides as Overrides<EC2NodeClass>);
    expect(causeOf(await failure(launch([])), NodeClassNotReadyError)?.message).toBe(message);
    expect(rig.fleets).toEqual([]);
  });

  test.each([
    ['nobody has looked at its class', { status: { conditions: [] } }, 'object is awaiting reconciliation'],
    ['nobody knows whether its class is ready', condition('Unknown'), 'no subnets'],
  ])('while %s', async (_, overrides, message) => {
    await rig.start(overrides as Overrides<EC2NodeClass>);
    expect(causeOf(await failure(launch([])), CreateError)).toMatchObject({
      conditionReason: 'NodeClassReadinessUnknown',
      conditionMessage: 'NodeClass is in Ready=Unknown',
      message: expect.stringContaining(`nodeclass is in Ready=Unknown, ${message}`),
    });
  });

  test('when the types can not be resolved', async () => {
    await rig.start({ status: { subnets: [] } });
    expect(causeOf(await failure(launch([])), CreateError)).toMatchObject({
      conditionReason: 'InstanceTypeResolutionFailed',
      conditionMessage: 'Error resolving instance types',
    });
  });

  test('when no launch template has anything to launch', async () => {
    await rig.start();
    const nodeClass = rig.classes.get('default') ?? expect.fail('no class');
    const arm = nodeClass.status?.amis?.filter(({ id }) => id.includes('arm64')) ?? [];
    rig.classes.set('default', { ...nodeClass, status: { ...nodeClass.status, amis: arm } });
    const error = causeOf(await failure(launch([ON_DEMAND, types('m5.large')])), CreateError);
    expect(error?.message).toContain(
      'getting launch template configs, getting launch templates, no instance types satisfy requirements of amis',
    );
    expect(rig.fleets).toEqual([]);
  });
});

describe('17.12: the claim that comes back', () => {
  test('tells what the instance is', async () => {
    await rig.start({ status: { instanceProfile: 'profile' } });
    const claim = await launch([SPOT, types('m5.large'), zones('b')]);
    const [instance] = [...rig.aws.cloud.instances.values()];
    expect(claim.metadata).toEqual({
      name: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: {
        [`${GROUP}/ec2nodeclass-hash`]: 'hash',
        [`${GROUP}/ec2nodeclass-hash-version`]: 'v6',
        [`${GROUP}/instance-profile-name`]: 'profile',
      },
      labels: expect.objectContaining({
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-west-2b',
        'topology.k8s.aws/zone-id': 'usw2-az2',
        'topology.kubernetes.io/region': 'us-west-2',
        'karpenter.sh/capacity-type': 'spot',
        'karpenter.sh/nodepool': 'pool',
        [`${GROUP}/instance-tenancy`]: 'default',
        [`${GROUP}/instance-family`]: 'm5',
      }),
    });
    expect(claim.status).toEqual({
      providerID: `aws:///us-west-2b/${instance?.data.InstanceId}`,
      imageID: 'ami-al2023-x8664-standard',
      capacity: expect.objectContaining({ cpu: '2', memory: '7577Mi', pods: '29', 'vpc.amazonaws.com/pod-eni': '9' }),
      allocatable: expect.objectContaining({ cpu: '1930m', memory: '6903Mi', pods: '29' }),
    });
    // What a label says of other capacity types, and what the type lacks, is left out.
    const absent = [
      'capacity-reservation-id',
      'capacity-reservation-type',
      'capacity-reservation-interruptible',
      'placement-group-id',
      'instance-gpu-name',
    ];
    expect(Object.keys(claim.metadata.labels ?? {}).filter((key) => absent.some((name) => key.endsWith(name)))).toEqual(
      [],
    );
    expect(Object.keys(claim.status?.capacity ?? {}).sort()).toEqual([
      'cpu',
      'ephemeral-storage',
      'memory',
      'pods',
      'vpc.amazonaws.com/pod-eni',
    ]);
  });

  test.each([
    ['not asked for', {}, {}, undefined],
    ['asked for by pods', { resources: { requests: { 'vpc.amazonaws.com/efa': '1' } } }, {}, '1'],
    [
      'listed by the class',
      {},
      {
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
        ],
      },
      '1',
    ],
  ])('has fabric adapters only if it was launched with them: %s', async (_, claimSpec, classSpec, efas) => {
    await rig.start({ spec: classSpec as Overrides<EC2NodeClass>['spec'] });
    const requirements = [ON_DEMAND, types('g4dn.8xlarge')];
    const claim = await rig.create(rig.claim({ spec: { ...claimSpec, requirements } }));
    expect(claim.status?.capacity?.['vpc.amazonaws.com/efa']).toBe(efas);
    expect(claim.status?.allocatable?.['vpc.amazonaws.com/efa']).toBe(efas);
  });

  test('has no labels of a reservation unless its instance is in it', async () => {
    rig.reserve();
    await rig.start({ spec: { capacityReservationSelectorTerms: [{ id: 'cr-1' }] } });
    const { metadata } = await launch([ON_DEMAND, types('m5.large')]);
    expect(Object.keys(metadata.labels ?? {}).filter((key) => key.includes('capacity-reservation'))).toEqual([]);
  });

  test('is deleted as long as its instance is shutting down', async () => {
    await rig.start();
    const { status } = await launch([ON_DEMAND, types('m5.large')]);
    rig.aws.cloud.durations.shuttingDown = 60_000;
    await rig.finish(rig.cloud.delete(rig.claim({ status })));
    const [listed] = await rig.cloud.list();
    expect(listed?.metadata.deletionTimestamp).toBeDefined();
    expect(listed?.status?.providerID).toBe(status?.providerID);
  });
});

test('28: a node is beyond repair half an hour after it says so, with broken accelerators after ten minutes', () => {
  const policies = rig.cloud.repairPolicies().map((policy) => Object.values(policy));
  expect(policies).toEqual([
    ['Ready', 'False', 1_800_000],
    ['Ready', 'Unknown', 1_800_000],
    ['AcceleratedHardwareReady', 'False', 600_000],
    ['StorageReady', 'False', 1_800_000],
    ['NetworkingReady', 'False', 1_800_000],
    ['KernelReady', 'False', 1_800_000],
    ['ContainerRuntimeReady', 'False', 1_800_000],
  ]);
});
