import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KWOK_ACCESS } from '../kwok-provider/access.ts';
import { ANNOTATION_INTERRUPTION } from '../kwok-provider/interruption/notice.ts';
import type { Resource } from '../src/kube/client.ts';
import type { KubeObject } from '../src/kube/objects.ts';
import {
  CapacityBuffers,
  ClusterRoleBindings,
  ClusterRoles,
  Deployments,
  NodeClaims,
  NodeOverlays,
  NodePools,
  PodTemplates,
  ReplicaSets,
  RoleBindings,
  Roles,
  ServiceAccounts,
  StatefulSets,
} from '../src/kube/resources.ts';
import { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type OperatorOptions } from '../src/operator/options.ts';
import { clusterAccess, leaseAccess } from '../src/operator/rbac.ts';
import { rbacManifests } from '../src/operator/rbac-manifests.ts';
import { TestEnvironment } from './environment.ts';
import { applied, eventually, patched, running } from './expectations/index.ts';
import { capacityBuffer, deployment, nodeOverlay, nodePool } from './factories/index.ts';

const ALL_ON: OperatorOptions = {
  ...DEFAULT_OPTIONS,
  ignoreDRARequests: false,
  featureGates: {
    ...DEFAULT_FEATURE_GATES,
    NodeOverlay: true,
    CapacityBuffer: true,
    StaticCapacity: true,
    NodeRepair: true,
  },
};
const RULES = [...clusterAccess(ALL_ON), ...leaseAccess(ALL_ON), ...KWOK_ACCESS];

/** As `accessText` words them. */
const GRANTED = RULES.filter(({ uncalled }) => !uncalled).flatMap(({ group, resources, verbs }) =>
  verbs.flatMap((verb) => resources.map((resource) => [verb, group || 'core', resource].join(' '))),
);

let env: TestEnvironment;

/** A spot instance is taken away, as the fake cloud may do. */
async function interrupted({ client, clock }: TestEnvironment): Promise<void> {
  const spot = {
    template: { spec: { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }] } },
  };
  const [pool] = (await client.list(NodePools)).items;
  await patched(env, NodePools, pool?.metadata.name ?? '', { spec: spot });
  const capacityType = (claim: KubeObject) => claim.metadata.labels?.['karpenter.sh/capacity-type'];
  const { claims } = await eventually(
    env,
    (now) => running(now) === 2 && now.claims.every((c) => capacityType(c) === 'spot'),
    180_000,
  );
  const notice = new Date(clock.now()).toISOString();
  await patched(env, NodeClaims, claims[0]?.metadata.name ?? '', {
    metadata: { annotations: { [ANNOTATION_INTERRUPTION]: notice } },
  });
  await clock.advance(10_000);
}

afterEach(async () => await env.close());

/** Each kind of workload, and a buffer for it. */
async function buffersOfEveryKind(): Promise<void> {
  const { spec } = deployment(0, { metadata: { name: 'idle' } });
  const workload = { apiVersion: 'apps/v1', metadata: { name: 'idle', namespace: 'default' }, spec };
  const kinds: readonly Resource<KubeObject>[] = [Deployments, StatefulSets, ReplicaSets];
  for (const resource of kinds) {
    const { kind } = resource;
    await applied(env, resource, { ...workload, kind } as KubeObject);
    await applied(env, CapacityBuffers, capacityBuffer({ scalableRef: { kind, name: 'idle' }, replicas: 1 }));
  }
  const metadata = { name: 'template', namespace: 'default' };
  await applied(env, PodTemplates, { apiVersion: 'v1', kind: 'PodTemplate', metadata, template: spec.template });
  await applied(env, CapacityBuffers, capacityBuffer({ podTemplateRef: { name: 'template' }, replicas: 1 }));
}

test('every right that is granted is used, and nothing else is asked for', async () => {
  env = await TestEnvironment.open();
  env.startCluster();
  env.startOperator({ ...ALL_ON, disableLeaderElection: false });
  await buffersOfEveryKind();
  await applied(env, NodeOverlays, nodeOverlay({ priceAdjustment: '-10%' }));
  const terminationGracePeriod = '30s';
  const [pool] = await applied(env, NodePools, nodePool({ spec: { template: { spec: { terminationGracePeriod } } } }));
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const guarded = { template: { metadata: { annotations }, spec: { terminationGracePeriodSeconds: 10 } } };
  await applied(env, Deployments, deployment(1, { metadata: { name: 'web' } }), deployment(1, { spec: guarded }));
  const { claims } = await eventually(env, (now) => running(now) === 2);
  await patched(env, NodePools, pool?.metadata.name ?? '', {
    spec: { template: { metadata: { labels: { v: '2' } } } },
  });
  await eventually(env, (now) => running(now) === 2 && now.claims.every((c) => c.metadata.labels?.v === '2'), 180_000);
  expect(claims.length).toBeGreaterThan(0);
  await interrupted(env);

  expect([...env.used].sort()).toEqual([...new Set(GRANTED)].sort());
});

const SubjectAccessReviews: Resource<KubeObject & { readonly status?: { readonly allowed: boolean } }> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

describe('the manifests, applied to a cluster', () => {
  const OF_KIND = { ServiceAccounts, ClusterRoles, ClusterRoleBindings, Roles, RoleBindings };

  beforeEach(async () => {
    env = await TestEnvironment.open();
    for (const { object } of rbacManifests({ namespace: 'kube-system', serviceAccount: 'k' }, ALL_ON, KWOK_ACCESS)) {
      await env.client.create(OF_KIND[`${object.kind}s` as keyof typeof OF_KIND] as Resource, object);
    }
  });

  /** `right` is as `accessText` words it. */
  async function mayDo(right: string, where: { readonly namespace?: string; readonly name?: string } = {}) {
    const [verb, group, whole = ''] = right.split(' ');
    const [resource, subresource] = whole.split('/');
    const resourceAttributes = { verb, group: group === 'core' ? '' : group, resource, subresource, ...where };
    const review = {
      metadata: { name: '' },
      spec: { user: 'system:serviceaccount:kube-system:k', resourceAttributes },
    };
    return (await env.client.create(SubjectAccessReviews, review)).status?.allowed;
  }

  test.each(GRANTED)('allow to %s', async (right) => {
    const where = right.includes('leases') ? { namespace: 'kube-system', name: 'karpenter-leader-election' } : {};
    expect(await mayDo(right, where)).toBe(true);
  });

  test.each([
    ['get core secrets', { namespace: 'kube-system' }],
    ['create core pods', { namespace: 'default' }],
    ['update coordination.k8s.io leases', { namespace: 'kube-system', name: 'another' }],
    ['update coordination.k8s.io leases', { namespace: 'default', name: 'karpenter-leader-election' }],
  ])('do not allow to %s in %j', async (right, where) => {
    expect(await mayDo(right, where)).toBe(false);
  });
});

test('what is switched off asks for no rights', () => {
  const options = { ...DEFAULT_OPTIONS, disableLeaderElection: true };
  const manifests = rbacManifests({ namespace: 'kube-system', serviceAccount: 'k' }, options, KWOK_ACCESS);
  expect(manifests.map(({ object }) => object.kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding']);
  expect(JSON.stringify(manifests)).not.toMatch(/capacitybuffers|nodeoverlays|deployments|leases/);
});
