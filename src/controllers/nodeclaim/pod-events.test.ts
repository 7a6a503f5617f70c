import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, snapshot } from '../../../test/expectations/index.ts';
import { nodeClaim, pod } from '../../../test/factories/index.ts';
import { onlyClaim } from '../../../test/support/only-claim.ts';
import type { Pod } from '../../kube/objects.ts';
import { NodeClaims, Pods } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';

let env: TestEnvironment;
let kill: () => Promise<void>;
let nodeName: string;
let start: number;

beforeEach(async () => {
  env = await TestEnvironment.open();
  kill = env.startOperator().kill;
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(60_000);
  nodeName = (await snapshot(env)).nodes[0]?.metadata.name ?? '';
  start = env.clock.now();
});
afterEach(async () => await env.close());

/** Seconds between the start of the test and the last event that the claim knows of. */
async function lastEvent(): Promise<number | undefined> {
  await env.clock.advance(0);
  const time = (await onlyClaim(env))?.status?.lastPodEventTime;
  return time === undefined ? undefined : (Date.parse(time) - start) / 1000;
}

const at = async (seconds: number): Promise<void> => await env.clock.advance(start + seconds * 1000 - env.clock.now());
const bind = async (name: string): Promise<void> => {
  const binding = { metadata: { name, namespace: 'default' }, target: { kind: 'Node', name: nodeName } };
  await env.client.create(Pods, binding as unknown as Pod, { subresource: 'binding' });
};
const create = async (name: string, changes: NonNullable<Parameters<typeof pod>[0]> = {}): Promise<void> => {
  await applied(env, Pods, pod({ ...changes, metadata: { name, ...changes.metadata } }));
};
const setPhase = async (name: string, phase: string): Promise<void> => {
  const patch = { type: 'merge', body: { status: { phase } } } as const;
  await env.client.patch(Pods, { name, namespace: 'default' }, patch, { subresource: 'status' });
};

test('5.12.1: a pod that is bound, ends, or begins to leave is an event of its node', async () => {
  await create('p');
  await create('q', { spec: { nodeName, terminationGracePeriodSeconds: 30 } });
  await create('waiting');
  expect(await lastEvent()).toBe(0);
  await at(20);
  await bind('p');
  expect(await lastEvent()).toBe(20);
  await at(40);
  await setPhase('p', 'Running');
  expect(await lastEvent()).toBe(20);
  await setPhase('p', 'Succeeded');
  expect(await lastEvent()).toBe(40);
  await at(60);
  await env.client.delete(Pods, { name: 'q', namespace: 'default' });
  expect(await lastEvent()).toBe(60);
  await at(80);
  await env.client.delete(Pods, { name: 'q', namespace: 'default' }, { gracePeriodSeconds: 0 });
  expect(await lastEvent()).toBe(60);
});

test('5.12.1: pods of DaemonSets are none', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
  await create('agent', { metadata: { ownerReferences: [owner] }, spec: { nodeName } });
  expect(await lastEvent()).toBeUndefined();
});

test('5.12.1: events within ten seconds are written as one', async () => {
  await create('a', { spec: { nodeName } });
  await at(9);
  await create('b', { spec: { nodeName } });
  expect(await lastEvent()).toBe(0);
  await at(10);
  await create('c', { spec: { nodeName } });
  expect(await lastEvent()).toBe(10);
});

test('5.12.1: a controller that starts again does not start the times of all nodes again', async () => {
  await create('p');
  await bind('p');
  expect(await lastEvent()).toBe(0);
  await kill();
  await at(3600);
  env.startOperator();
  await at(3605);
  expect(await lastEvent()).toBe(0);
});

test('5.12.1: what happened while there was none counts from when it happened', async () => {
  await kill();
  await at(100);
  await create('p');
  await bind('p');
  expect(formatTimestamp(env.clock.now())).toBe(formatTimestamp(start + 100_000));
  await at(500);
  env.startOperator();
  await at(505);
  expect(await lastEvent()).toBe(100);
});
