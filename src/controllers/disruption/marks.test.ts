import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied } from '../../../test/expectations/index.ts';
import { node, nodeClaim } from '../../../test/factories/index.ts';
import type { Client } from '../../kube/client.ts';
import { ApiError } from '../../kube/errors.ts';
import { Informers } from '../../kube/informers.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import { Objects } from '../objects.ts';
import { DisruptionMarks } from './marks.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Marks written by a client of which the first patches meet somebody else's write; `locks` are the versions it sent. */
function marksAfter(conflicts: number) {
  const real = env.api.client('karpenter');
  const locks: unknown[] = [];
  const client: Client = {
    get: (...args) => real.get(...args),
    list: (...args) => real.list(...args),
    watch: (...args) => real.watch(...args),
    create: (...args) => real.create(...args),
    update: (...args) => real.update(...args),
    delete: (...args) => real.delete(...args),
    patch: async (resource, ref, patch, ...rest) => {
      const { metadata } = patch.body as { readonly metadata: { readonly resourceVersion?: string } };
      locks.push(metadata.resourceVersion);
      if (locks.length <= conflicts) throw new ApiError({ code: 409, reason: 'Conflict', message: 'too late' });
      return await real.patch(resource, ref, patch, ...rest);
    },
  };
  const { clock, random } = env;
  const deps = { client, clock, informers: new Informers({ client, clock, random }) };
  const marks = new DisruptionMarks({
    ...deps,
    nodes: new Objects(deps, Nodes),
    nodeClaims: new Objects(deps, NodeClaims),
  });
  return { marks, locks };
}

async function pair() {
  const [claim] = await applied(env, NodeClaims, nodeClaim({ metadata: { name: 'c' } }));
  const [made] = await applied(env, Nodes, node({ metadata: { name: 'n' } }));
  return { node: made, nodeClaim: claim, markedForDeletion: false };
}
const taints = async () => ((await env.client.get(Nodes, { name: 'n' })).spec.taints ?? []).map(({ key }) => key);

test('8.15: the taint is written on the newest state, and again after somebody else’s write', async () => {
  const { marks, locks } = marksAfter(2);
  const state = await pair();
  const written = marks.set(state, 'Drifted', new AbortController().signal);
  await env.clock.advance(1000);
  await written;
  expect(await taints()).toContain('karpenter.sh/disrupted');
  expect(locks.length).toBeGreaterThanOrEqual(3);
  expect(locks.every((version) => version !== undefined)).toBe(true);
});

test('8.15: after four attempts it is given up', async () => {
  const { marks, locks } = marksAfter(10);
  const state = await pair();
  const failed = expect(marks.set(state, 'Drifted', new AbortController().signal)).rejects.toThrow('too late');
  await env.clock.advance(1000);
  await failed;
  expect(locks).toHaveLength(4);
});

test.each(['node', 'nodeClaim'] as const)('8.15: nothing is written when there is no %s', async (half) => {
  const { marks, locks } = marksAfter(0);
  await marks.set({ ...(await pair()), [half]: undefined }, 'Drifted', new AbortController().signal);
  expect([locks, await taints()]).toEqual([[], expect.not.arrayContaining(['karpenter.sh/disrupted'])]);
});
