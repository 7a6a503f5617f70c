import { afterEach, beforeEach, expect, test } from 'vitest';
import { NodeClaims, NodePools, Nodes, Pods } from '../src/kube/resources.ts';
import { TestEnvironment } from './environment.ts';
import { nodePool, requesting, unschedulablePod } from './factories/index.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

test('pending pods get claims, and claims become initialized nodes', async () => {
  const log = { debug: (...a: unknown[]) => console.log('D', ...a), info: (...a: unknown[]) => console.log('I', ...a), error: (...a: unknown[]) => console.log('E', String(a[1]), JSON.stringify(a[2])) };
  env.startNodeAgent();
  env.startOperator({}, { log });
  await env.client.create(NodePools, nodePool());
  for (let i = 0; i < 3; i++) {
    const pod = unschedulablePod({ spec: requesting({ cpu: '1' }) });
    const created = await env.client.create(Pods, pod);
    await env.client.patch(Pods, { name: created.metadata.name, namespace: 'default' }, { type: 'merge', body: { status: pod.status } }, { subresource: 'status' });
  }
  await env.clock.advance(30_000);
  const claims = (await env.client.list(NodeClaims)).items;
  const nodes = (await env.client.list(Nodes)).items;
  console.log(JSON.stringify((await env.client.list(NodePools)).items, null, 1));
  console.log(JSON.stringify(claims, null, 1), nodes.map((n) => [n.metadata.name, n.metadata.labels, n.spec.taints, n.status?.conditions?.length]));
  expect(claims.length).toBe(1);
});
