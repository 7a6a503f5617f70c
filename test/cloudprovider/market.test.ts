import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import { ANNOTATION_SOLD_OUT } from '../../kwok-provider/apis/labels.ts';
import { ANNOTATION_INTERRUPTION } from '../../kwok-provider/interruption/notice.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { Deployments, Events, NodeClaims, NodePools, Nodes } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually, patched, running } from '../expectations/index.ts';
import { deployment, nodePool } from '../factories/index.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const label = (claim: NodeClaim | undefined, key: string): string => claim?.metadata.labels?.[key] ?? '';
const capacityTypeOf = (claim: NodeClaim | undefined): string => label(claim, 'karpenter.sh/capacity-type');
const soldOut = async (text: string | null) =>
  await patched(env, KwokNodeClasses, 'default', { metadata: { annotations: { [ANNOTATION_SOLD_OUT]: text } } });
const soldOutNow = async (): Promise<string> =>
  (await env.client.get(KwokNodeClasses, { name: 'default' })).metadata.annotations?.[ANNOTATION_SOLD_OUT] ?? '';

async function onePodOnSpot() {
  env.startCluster();
  env.startOperator();
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] }] as const;
  await applied(env, NodePools, nodePool({ spec: { template: { spec: { requirements } } } }));
  await applied(env, Deployments, deployment(1));
  return await eventually(env, (now) => running(now) === 1);
}

async function interrupt(claim: NodeClaim | undefined): Promise<void> {
  const annotations = { [ANNOTATION_INTERRUPTION]: new Date(env.clock.now()).toISOString() };
  await patched(env, NodeClaims, claim?.metadata.name ?? '', { metadata: { annotations } });
}

describe('what a node class says is sold out', () => {
  test('is not bought: the next best is', async () => {
    await soldOut('*/*/spot');
    const { claims } = await onePodOnSpot();
    expect(claims.map(capacityTypeOf)).toEqual(['on-demand']);
  });

  test('holds no longer than until its time', async () => {
    const cloud = env.kwok();
    const until = new Date(env.clock.now() + 60_000).toISOString();
    await soldOut(`c-1x-amd64-linux/test-zone-a/spot@${until},s-*`);
    const left = async () => {
      const types = await cloud.getInstanceTypes(nodePool());
      const of = (name: string) =>
        types.find((type) => type.name === name)?.offerings.filter((o) => o.available).length;
      return [of('c-1x-amd64-linux'), of('s-1x-amd64-linux'), of('m-1x-amd64-linux')];
    };
    expect(await left()).toEqual([7, 0, 8]);
    const [type] = await cloud.getInstanceTypes(nodePool());
    expect(type?.offerings.find((o) => !o.available)?.unavailableUntil).toBe(Date.parse(until));
    await env.clock.advance(61_000);
    expect(await left()).toEqual([8, 0, 8]);
  });

  test('fails a launch that was decided before', async () => {
    await soldOut('*');
    const claim = await env.client.create(NodeClaims, {
      metadata: { name: 'late' },
      spec: { requirements: [], nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' } },
    });
    await expect(env.kwok().create(claim)).rejects.toThrow('no instance type has an available offering');
  });
});

describe('a spot interruption', () => {
  test('moves the pods to a machine of another offering, and tells of it in the words of the EC2 provider', async () => {
    const { claims } = await onePodOnSpot();
    const [before] = claims;
    expect(capacityTypeOf(before)).toBe('spot');
    await interrupt(before);
    const after = await eventually(
      env,
      (now) => running(now) === 1 && now.claims.length === 1 && now.claims[0]?.metadata.uid !== before?.metadata.uid,
    );
    const offering = (claim: NodeClaim | undefined) =>
      ['node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type']
        .map((key) => label(claim, key))
        .join('/');
    expect(offering(after.claims[0])).not.toBe(offering(before));
    expect(await soldOutNow()).toMatch(offering(before));
    const reasons = (await env.client.list(Events)).items.map(({ reason, message }) => `${reason}: ${message}`);
    expect(reasons).toEqual(
      expect.arrayContaining([
        'SpotInterrupted: Spot interruption warning was triggered',
        'TerminatingOnInterruption: Interruption triggered termination for the NodeClaim',
        'TerminatingOnInterruption: Interruption triggered termination for the Node',
      ]),
    );
  });

  test('ends the machine after two minutes, whatever keeps its pods', async () => {
    const { claims } = await onePodOnSpot();
    const [claim] = claims;
    await env.client.create(
      { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true },
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'all', namespace: 'default' },
        spec: { maxUnavailable: 0, selector: {} },
      } as never,
    );
    await interrupt(claim);
    const node = claim?.status?.nodeName ?? '';
    const stands = async () => (await env.client.list(Nodes)).items.some(({ metadata }) => metadata.name === node);
    await env.clock.advance(110_000);
    expect(await stands()).toBe(true);
    await env.clock.advance(30_000);
    expect(await stands()).toBe(false);
  });
});
