import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../test/environment.ts';
import { capacityBuffer, nodePool } from '../../test/factories/index.ts';
import { CORE_DEFINITIONS } from '../apis/crds/index.ts';
import type { AccessRule } from '../kube/access-rule.ts';
import type { Client, Resource } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { KubeObject, Lease } from '../kube/objects.ts';
import { CapacityBuffers, CustomResourceDefinitions, Deployments, Leases, NodePools } from '../kube/resources.ts';
import { formatMicroTimestamp } from '../kube/timestamp.ts';
import { DEFAULT_FEATURE_GATES } from '../operator/options.ts';
import { definitionFindings } from './definitions.ts';
import type { Finding } from './finding.ts';
import { otherControllersFindings } from './other-controllers.ts';
import { poolFindings } from './pools.ts';
import { rightsFindings } from './rights.ts';

const { signal } = new AbortController();
const told = (findings: readonly Finding[]) => findings.map(({ verdict, message }) => `${verdict}: ${message}`);

let env: TestEnvironment;

beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(() => env.close());

describe('definitions', () => {
  const look = async (wanted = CORE_DEFINITIONS) =>
    told(await definitionFindings({ client: env.client, wanted, version: 'v1.14.1', fix: [] }, signal));
  const edit = (body: readonly unknown[]) =>
    env.client.patch(CustomResourceDefinitions, { name: 'nodepools.karpenter.sh' }, { type: 'json', body });
  const POOL = CORE_DEFINITIONS.slice(0, 1);
  const SPEC = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';

  test('that are as they should be are told in one line', async () => {
    expect(await look()).toEqual([
      expect.stringMatching(/^pass: as of Karpenter v1\.14\.1: nodepools.*capacitybuffers/),
    ]);
  });

  test('of an earlier version lack fields, which are named without what is in them', async () => {
    await edit([{ op: 'remove', path: `${SPEC}/disruption` }]);
    expect(await look(POOL)).toEqual(['warn: nodepools.karpenter.sh is older than v1.14.1: it lacks spec.disruption']);
  });

  test('of a later version have more fields', async () => {
    await edit([{ op: 'add', path: `${SPEC}/hibernation`, value: { type: 'string' } }]);
    expect(await look(POOL)).toEqual([expect.stringContaining('newer than v1.14.1: it has spec.hibernation')]);
  });

  test('may name fields where this one takes any', async () => {
    const named = { properties: { cpu: { type: 'string' }, memory: { type: 'string' } } };
    await edit([{ op: 'replace', path: `${SPEC}/limits`, value: { type: 'object', ...named } }]);
    expect(await look(POOL)).toEqual([expect.stringMatching(/^pass: /)]);
  });

  test('that are missing keep the controller from starting', async () => {
    await env.client.delete(CustomResourceDefinitions, { name: 'nodepools.karpenter.sh' });
    expect(await look(POOL)).toEqual(['fail: nodepools.karpenter.sh is not installed']);
  });

  test('that may not be read are left out', async () => {
    const get = () => Promise.reject(new ApiError({ code: 403, reason: 'Forbidden' }));
    const input = { client: { get }, wanted: POOL, version: 'v1.14.1', fix: [] };
    expect(told(await definitionFindings(input, signal))).toEqual([expect.stringMatching(/^skipped: /)]);
  });
});

describe('rights', () => {
  const RULES: readonly AccessRule[] = [
    { group: '', resources: ['pods/eviction'], verbs: ['create'], why: 'drains' },
    { group: 'karpenter.sh', resources: ['nodepools', 'nodeclaims'], verbs: ['list', 'watch'], why: 'pools' },
    { group: 'karpenter.sh', resources: ['nodepools/finalizers'], verbs: ['update'], why: 'OpenShift', uncalled: true },
  ];

  type Attributes = { readonly verb: string; readonly resource: string; readonly subresource?: string };

  /** An API whose user may do only what the predicate says. */
  function api(may: (attributes: Attributes) => boolean): Pick<Client, 'create'> {
    return {
      create: async (resource, object) => {
        if (resource.kind === 'SelfSubjectReview') {
          return { ...object, status: { userInfo: { username: 'ann' } } };
        }
        const { resourceAttributes } = (object as unknown as { spec: { resourceAttributes: Attributes } }).spec;
        return { ...object, status: { allowed: may(resourceAttributes) } };
      },
    };
  }

  test('of an administrator are asked for in one question', async () => {
    const found = await rightsFindings({ client: env.client, needed: [{ rules: RULES }], fix: [] }, signal);
    expect(told(found)).toEqual(['pass: "kubernetes-admin" may do everything']);
  });

  test('that suffice', async () => {
    const found = await rightsFindings(
      { client: api(({ verb }) => verb !== '*'), needed: [{ rules: RULES }], fix: [] },
      signal,
    );
    expect(told(found)).toEqual(['pass: "ann" may do all that the controller does (5 rights)']);
  });

  test('that are missing are named as kubectl names them, with the reason', async () => {
    const client = api(
      ({ verb, resource, subresource }) => verb === 'list' && resource === 'nodepools' && !subresource,
    );
    const [found] = await rightsFindings({ client, needed: [{ rules: RULES }], fix: ['grant'] }, signal);
    expect(found).toMatchObject({
      verdict: 'fail',
      message: '"ann" lacks 4 of the 5 rights that the controller needs',
      details: [
        'create pods/eviction: drains',
        'watch nodepools.karpenter.sh, list nodeclaims.karpenter.sh, watch nodeclaims.karpenter.sh: pools',
      ],
      fix: ['grant'],
    });
  });

  test('are not doubted by an API that does not tell who is asking', async () => {
    const { create } = api(() => true);
    const client: Pick<Client, 'create'> = {
      create: (resource, object) =>
        resource.kind === 'SelfSubjectReview' ? Promise.reject(new ApiError({ code: 404 })) : create(resource, object),
    };
    expect(told(await rightsFindings({ client, needed: [], fix: [] }, signal))).toEqual([
      'pass: this user may do everything',
    ]);
  });
});

describe('other controllers', () => {
  const OWN = { name: 'karpenter-leader-election', namespace: 'kube-system' };

  const look = async (lease: typeof OWN | undefined = OWN) =>
    await otherControllersFindings({ client: env.client, lease, now: env.clock.now() }, signal);

  const held = (namespace: string, holderIdentity = 'pod-1'): Promise<Lease> =>
    env.client.create(Leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: OWN.name, namespace },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: formatMicroTimestamp(env.clock.now() - 3000) },
    });

  test('are none', async () => {
    expect(told(await look())).toEqual(['pass: nobody holds the lease kube-system/karpenter-leader-election']);
  });

  test('that hold the same lease are waited for', async () => {
    await held('kube-system');
    expect(told(await look())).toEqual([
      'pass: "pod-1" holds the lease kube-system/karpenter-leader-election, renewed 3s ago; a controller started here waits for its turn',
    ]);
    await env.clock.advance(12_000);
    expect(told(await look())).toEqual([expect.stringMatching(/^pass: nobody/)]);
  });

  test('of whom only the own lease may be seen', async () => {
    const list = () => Promise.reject(new ApiError({ code: 403, reason: 'Forbidden' }));
    const client = { list, get: env.client.get.bind(env.client) };
    const see = async (lease: typeof OWN | undefined) =>
      told(await otherControllersFindings({ client, lease, now: env.clock.now() }, signal));
    expect(await see(OWN)).toEqual([expect.stringMatching(/^pass: nobody holds/)]);
    await held('kube-system');
    expect(await see(OWN)).toEqual([expect.stringMatching(/^pass: "pod-1" holds/)]);
    expect(await see(undefined)).toEqual([expect.stringMatching(/^skipped: /)]);
  });

  test.each([[OWN], [undefined]])('that hold another would work beside: own lease %j', async (lease) => {
    await held('default');
    const deployment = {
      metadata: { name: 'karpenter', namespace: 'default', labels: { 'app.kubernetes.io/name': 'karpenter' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'k' } },
        template: {
          metadata: { labels: { app: 'k' } },
          spec: { containers: [{ name: 'controller', image: 'karpenter/controller:1.9.0' }] },
        },
      },
    };
    await env.client.create(
      Deployments as Resource,
      { apiVersion: 'apps/v1', kind: 'Deployment', ...deployment } as KubeObject,
    );
    const [found] = await otherControllersFindings({ client: env.client, lease, now: env.clock.now() }, signal);
    expect(found).toMatchObject({
      verdict: 'warn',
      details: ['Deployment default/karpenter: karpenter/controller:1.9.0, 2 replicas'],
      fix: ['stop the other one first', expect.stringContaining('--leader-election-namespace default')],
    });
  });
});

describe('NodePools', () => {
  const look = async (gates = DEFAULT_FEATURE_GATES) =>
    await poolFindings({ client: env.client, gates, nodeClasses: [KwokNodeClasses as Resource] }, signal);

  test('are needed', async () => {
    expect(told(await look())).toEqual(['warn: there are none, so no node is made for any pod']);
  });

  test('are told one by one when something is wrong with them', async () => {
    await env.client.create(NodePools, nodePool({ metadata: { name: 'good' } }));
    await env.client.create(NodePools, nodePool({ metadata: { name: 'idle' }, spec: { limits: { cpus: '1' } } }));
    const nodeClassRef = { name: 'gone' };
    await env.client.create(
      NodePools,
      nodePool({ metadata: { name: 'lost' }, spec: { template: { spec: { nodeClassRef } } } }),
    );
    const condition = {
      type: 'Ready',
      status: 'False',
      reason: 'NodeClassNotReady',
      message: 'wait',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const;
    const [late] = [nodePool({ metadata: { name: 'late' }, status: { conditions: [condition] } })];
    await env.client.create(NodePools, late);
    await env.client.patch(
      NodePools,
      { name: 'late' },
      { type: 'merge', body: { status: late.status } },
      { subresource: 'status' },
    );
    expect((await look()).map(({ check, verdict, message }) => [check, verdict, message])).toEqual([
      ['NodePools', 'pass', '1 of 4 as they should be'],
      ['NodePool idle', 'warn', 'has no effect: spec.limits.cpus: no node has a resource of that name'],
      ['NodePool late', 'warn', 'is not ready: NodeClassNotReady: wait'],
      ['NodePool lost', 'fail', 'its KWOKNodeClass "gone" does not exist'],
    ]);
  });

  test('may have kinds beside them that nobody looks at', async () => {
    await env.client.create(NodePools, nodePool());
    await env.client.create(CapacityBuffers, capacityBuffer({ podTemplateRef: { name: 't' }, replicas: 1 }));
    expect(told(await look())).toContainEqual(expect.stringMatching(/^warn: 1 without effect .* CapacityBuffer$/));
    expect(told(await look({ ...DEFAULT_FEATURE_GATES, CapacityBuffer: true }))).toHaveLength(1);
  });
});
