import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../src/kube/client.ts';
import { ApiError } from '../src/kube/errors.ts';
import { Deployments, NodePools, Pods } from '../src/kube/resources.ts';
import type { LogFields, Logger } from '../src/logging/logger.ts';
import { TestEnvironment } from './environment.ts';
import { applied, eventually, patched, running } from './expectations/index.ts';
import { deployment, nodeClaim, nodePool, unschedulablePod } from './factories/index.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

/** Keeps the fields of the last line with each message. */
function notebook() {
  const lines = new Map<string, LogFields>();
  const note = (message: string, fields: LogFields = {}): void => void lines.set(message, fields);
  const log: Logger = { debug: note, info: note, error: (message, _, fields) => note(message, fields) };
  return { lines, log };
}

/** Messages that people look for in the log of upstream's controller, with the keys that each has there. */
const MESSAGES: readonly (readonly [string, readonly string[]])[] = [
  ['found provisionable pod(s)', ['Pods', 'duration']],
  ['computed new nodeclaim(s) to fit pod(s)', ['nodeclaims', 'pods']],
  ['created nodeclaim', ['NodePool', 'NodeClaim', 'requests', 'instance-types']],
  ['launched nodeclaim', ['NodeClaim', 'provider-id', 'instance-type', 'zone', 'capacity-type', 'allocatable']],
  ['registered nodeclaim', ['NodeClaim', 'Node', 'provider-id']],
  ['initialized nodeclaim', ['NodeClaim', 'Node', 'provider-id', 'allocatable']],
  [
    'disrupting node(s)',
    [
      ...['command', 'decision', 'disrupted-node-count', 'replacement-node-count', 'pod-count'],
      ...['disrupted-nodes', 'replacement-nodes'],
    ],
  ],
  ['tainted node', ['Node', 'taint.Key', 'taint.Value', 'taint.Effect']],
  ['marking consolidatable', ['Node']],
  ['marking drifted', ['Node', 'reason']],
  ['deleted node', ['Node']],
  ['deleted nodeclaim', ['NodeClaim', 'provider-id']],
];

test('10.5: what people look for in the log is said in upstream’s words, under upstream’s keys', async () => {
  const { lines, log } = notebook();
  env.startOperator({}, { log });
  const [pool] = await applied(env, NodePools, nodePool());
  await applied(env, Deployments, deployment(2));
  await eventually(env, (now) => running(now) === 2 && now.claims.length === 1);
  await patched(env, NodePools, pool?.metadata.name ?? '', {
    spec: { template: { metadata: { labels: { v: '2' } } } },
  });
  await eventually(env, (now) => now.claims.length === 1 && now.claims[0]?.metadata.labels?.v === '2', 180_000);
  for (const [message, keys] of MESSAGES) {
    expect({ message, keys: Object.keys(lines.get(message) ?? {}) }).toEqual({
      message,
      keys: expect.arrayContaining([...keys]),
    });
  }
  expect(lines.get('found provisionable pod(s)')?.Pods).toMatch(/^default\/\S+, default\/\S+$/);
  expect(lines.get('disrupting node(s)')).toMatchObject({ 'pod-count': 2, 'disrupted-node-count': 1 });
});

test('8.3: every ten seconds it is said that the cluster has not been in sync for half a minute', async () => {
  const times: number[] = [];
  const log: Logger = {
    debug() {},
    info() {},
    error: (message) => {
      if (message === 'cluster is waiting on sync for extended duration') times.push(env.clock.now());
    },
  };
  const { operator } = env.startOperator({}, { log });
  await env.clock.advance(1000);
  const start = env.clock.now();
  operator.cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'never-launched' } }));
  await env.clock.advance(29_000);
  expect(times).toEqual([]);
  await env.clock.advance(31_000);
  const seconds = times.map((time) => Math.round((time - start) / 1000));
  expect(seconds[0]).toBeGreaterThanOrEqual(30);
  expect(seconds.slice(1).map((second, i) => second - (seconds[i] ?? 0))).toEqual(
    expect.arrayContaining([expect.closeTo(10, 0)]),
  );
  expect(seconds.length).toBeLessThanOrEqual(4);
});

test('10.5: that there is no pool is said once a pass, not as an error of each pod', async () => {
  const { lines, log } = notebook();
  env.startOperator({}, { log });
  await applied(
    env,
    Pods,
    unschedulablePod({ metadata: { name: 'a' } }),
    unschedulablePod({ metadata: { name: 'b' } }),
  );
  await eventually(env, () => lines.has('no dynamic nodepools found'));
  expect(lines.has('could not schedule pod')).toBe(false);
});

test('10.5: a kind that may not be watched is told as an error, that history ended is not', async () => {
  const failures = new Map([
    [NodePools.plural, new ApiError({ code: 403, reason: 'Forbidden', message: 'nodepools is forbidden' })],
    [Pods.plural, new ApiError({ code: 410, reason: 'Expired', message: 'too old resource version' })],
  ]);
  const real = env.api.client('karpenter');
  const list: Client['list'] = (resource, ...rest) => {
    const failure = failures.get(resource.plural);
    return failure ? Promise.reject(failure) : real.list(resource, ...rest);
  };
  const client = new Proxy(real, {
    get: (target, key: keyof Client) => (key === 'list' ? list : target[key].bind(target)),
  });
  const told: string[] = [];
  const note = (message: string, error: unknown, { type }: LogFields = {}): void =>
    void told.push(`${message} ${type}: ${error instanceof Error ? error.message : error}`);
  env.startOperator({}, { client, log: { debug() {}, info() {}, error: note } });
  await env.clock.advance(1000);
  expect(new Set(told.filter((line) => line.startsWith('Failed to watch')))).toEqual(
    new Set(['Failed to watch NodePool: nodepools is forbidden']),
  );
});
