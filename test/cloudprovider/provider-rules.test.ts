/** What a provider changes in core's own rules (docs/karpenter-core.md 0.2). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../../src/apis/labels.ts';
import { nodeOverlayProblems } from '../../src/apis/node-overlay-problems.ts';
import { requirementProblems } from '../../src/apis/requirement-problems.ts';
import type { LabelRules } from '../../src/apis/restricted-labels.ts';
import type { ProviderRules } from '../../src/cloudprovider/types.ts';
import type { KubeObject, Pod } from '../../src/kube/objects.ts';
import { NodePools, Pods } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually } from '../expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { nodeOverlay } from '../factories/node-overlay.ts';
import { pending, pool, SMALL, soldIn } from '../scheduling/reported-cases.ts';
import { instanceType, newNodes, schedule } from '../scheduling/schedule.ts';
import { alteredCloud } from '../support/altered-cloud.ts';

const TENANCY = 'example.com/tenancy';
const RULES: LabelRules = {
  wellKnownLabels: new Set([TENANCY]),
  restrictedLabelDomains: new Set(),
  wellKnownValues: { [TENANCY]: ['dedicated', 'default'] },
  wellKnownResources: new Set(['example.com/interfaces']),
};

describe('well-known values', () => {
  const problems = (values: readonly string[], minValues?: number) =>
    requirementProblems({ key: TENANCY, operator: 'In', values, ...(minValues ? { minValues } : {}) }, RULES);

  test('a requirement with none of them is refused', () => {
    expect(problems(['host'])).toEqual([
      `no valid values found in [host] for ${TENANCY}, expected one of: map[dedicated:{} default:{}], got: [host]`,
    ]);
    expect(problems(['host', 'default'])).toEqual([]);
  });

  test('so is one with fewer of them than its minValues', () => {
    expect(problems(['host', 'default'], 2)).toEqual([
      `not enough valid values found in [host default] for ${TENANCY}, expected at least 2 valid values from: [dedicated default], got: 1`,
    ]);
  });

  test('those of the provider count for pods too', () => {
    const small = instanceType('small', SMALL, soldIn('a'));
    const results = schedule([pool('p'), pending('p1', { nodeSelector: { [TENANCY]: 'host' } })], [small], RULES);
    expect([...(results.rejected?.values() ?? [])].map(({ message }) => message)).toEqual(problems(['host']));
  });
});

test('an overlay may not set a well-known resource', () => {
  const overlay = nodeOverlay({ capacity: { 'example.com/interfaces': '1', 'example.com/other': '1' } });
  expect(nodeOverlayProblems(overlay, RULES)).toEqual([
    'invalid capacity: example.com/interfaces in resource, restricted',
  ]);
});

describe('volumes that the provider does not support', () => {
  const claim = (storageClass: string, volumeName?: string): KubeObject =>
    ({
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { storageClassName: storageClass, ...(volumeName ? { volumeName } : {}) },
    }) as KubeObject;
  const storageClass = (provisioner: string, key?: string): KubeObject =>
    ({
      kind: 'StorageClass',
      metadata: { name: 'class' },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...(key ? { allowedTopologies: [{ matchLabelExpressions: [{ key, values: ['a'] }] }] } : {}),
    }) as KubeObject;
  const volume = {
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: { csi: { driver: 'bad.example.com', volumeHandle: 'h' } },
  } as KubeObject;
  const waiting = (): Pod =>
    pending('p1', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
  const refusals = (...objects: readonly KubeObject[]) => {
    const small = instanceType('small', SMALL, soldIn('a'));
    const unsupportedVolumes = {
      provisioners: new Set(['bad.example.com']),
      topologyKeys: new Set(['bad.example.com/zone']),
    };
    const results = schedule([pool('p'), waiting(), ...objects], [small], { unsupportedVolumes });
    return [...(results.rejected?.values() ?? [])].map(({ message }) => message);
  };
  const where = 'PersistentVolumeClaim=default/data';

  test('a pod with a volume of such a driver is not tried, bound or not', () => {
    const text = `failed to validate pvc, provisioner is not supported (${where}, Provisioner=bad.example.com, StorageClass=class)`;
    expect(refusals(claim('class'), storageClass('bad.example.com'))).toEqual([text]);
    expect(refusals(claim('class', 'pv'), volume)).toEqual([text]);
  });

  test('nor is one whose storage class is confined by such a label', () => {
    expect(refusals(claim('class'), storageClass('good.example.com', 'bad.example.com/zone'))).toEqual([
      `failed to validate pvc, storage class uses unsupported topology key (${where}, StorageClass=class, TopologyKey=bad.example.com/zone)`,
    ]);
  });

  test('others are', () => {
    expect(refusals(claim('class'), storageClass('good.example.com'))).toEqual([]);
  });
});

describe('with a running controller', () => {
  let env: TestEnvironment;
  beforeEach(async () => {
    env = await TestEnvironment.open();
  });
  afterEach(async () => await env.close());

  const claimFor = async (rules: Partial<ProviderRules>, pod: Pod, grace?: string) => {
    env.startOperator({}, { cloud: alteredCloud(env.kwok(env.client), rules) });
    const spec = grace ? { terminationGracePeriod: grace } : {};
    await applied(env, NodePools, nodePool({ metadata: { name: 'p' }, spec: { template: { spec } } }));
    await applied(env, Pods, pod);
    const { claims } = await eventually(env, (now) => now.claims.length === 1);
    return claims[0]?.spec;
  };

  test('a claim gets the default grace period unless its pool has one', async () => {
    const rules = { defaultTerminationGracePeriodMs: 3_600_000 };
    const pod = unschedulablePod({ spec: requesting({ cpu: '1' }) });
    expect((await claimFor(rules, pod))?.terminationGracePeriod).toBe('1h0m0s');
  });

  test('the grace period of the pool comes first', async () => {
    const rules = { defaultTerminationGracePeriodMs: 3_600_000 };
    const pod = unschedulablePod({ spec: requesting({ cpu: '1' }) });
    expect((await claimFor(rules, pod, '5m'))?.terminationGracePeriod).toBe('5m0s');
  });

  test('other names of labels and values are read as those that are meant', async () => {
    const rules = {
      normalizedLabels: { 'topology.example.com/zone': LABEL_ZONE },
      normalizedLabelValues: { [LABEL_ZONE]: { b: 'test-zone-b' } },
    };
    const nodeSelector = { 'topology.example.com/zone': 'test-zone-b' };
    const spec = await claimFor(rules, unschedulablePod({ spec: { ...requesting({ cpu: '1' }), nodeSelector } }));
    expect(spec?.requirements).toContainEqual({ key: LABEL_ZONE, operator: 'In', values: ['test-zone-b'] });
    const small = instanceType('small', SMALL, soldIn('test-zone-b'));
    const called = pending('p2', {
      nodeSelector: { 'topology.example.com/zone': 'b', [LABEL_INSTANCE_TYPE]: 'small' },
    });
    expect(newNodes(schedule([pool('p'), called], [small]))).toEqual([['p2']]);
  });
});
