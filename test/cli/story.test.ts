import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connect } from '../../src/cli/cluster/connect.ts';
import type { Client } from '../../src/kube/client.ts';
import type { Deployment, KubeObject, Pod } from '../../src/kube/objects.ts';
import { Deployments, NodeClaims, Nodes, Pods } from '../../src/kube/resources.ts';
import { RealClock } from '../../src/operator/clock.ts';
import { cli } from '../support/run-cli.ts';

const clock = new RealClock();

async function example<T extends KubeObject>(name: string): Promise<T> {
  const [document] = parseAllDocuments(await readFile(join('examples', name), 'utf8'));
  return document?.toJS() as T;
}

/** Asks again and again until the answer is good; the last one when it never is. */
async function eventually<T>(ask: () => Promise<T>, isGood: (answer: T) => boolean, ms = 40_000): Promise<T> {
  const deadline = clock.now() + ms;
  for (;;) {
    const answer = await ask();
    if (isGood(answer) || clock.now() > deadline) return answer;
    await clock.sleep(100);
  }
}

async function scale(client: Client, replicas: number): Promise<void> {
  const patch = { type: 'merge', body: { spec: { replicas } } } as const;
  await client.patch(Deployments, { namespace: 'default', name: 'inflate' }, patch);
}

const running = async (client: Client): Promise<number> =>
  (await client.list(Pods)).items.filter(({ status }) => status?.phase === 'Running').length;

it('a Deployment gets nodes, a smaller one gets a smaller node, and a pod without a place is explained', {
  timeout: 120_000,
}, async () => {
  await using program = await cli();
  const env = { HOME: program.home };
  try {
    expect(await program.run(['up', '--local', '-d', '--name', 'story'])).toMatchObject({ code: 0 });
    const { client } = await connect({}, env, clock, 'test');
    await client.create(Deployments, {
      ...(await example<Deployment>('inflate.yaml')),
      metadata: { name: 'inflate', namespace: 'default' },
    });

    await scale(client, 12);
    expect(
      await eventually(
        () => running(client),
        (n) => n === 12,
      ),
    ).toBe(12);
    const [large] = (await client.list(NodeClaims)).items;
    expect((await program.run(['status'])).stdout).toMatch(/^default +True +1 +1 on-demand +12\//m);
    expect((await program.run(['explain', 'nodeclaim', large?.metadata.name ?? ''])).stdout).toContain(
      'Initialized=True',
    );

    await client.create(Pods, {
      ...(await example<Pod>('no-room.yaml')),
      metadata: { name: 'no-room', namespace: 'default' },
    });
    const explained = await eventually(
      () => program.run(['explain', 'pod', 'no-room']),
      ({ stdout }) => stdout.includes('The scheduler says'),
    );
    expect(explained.stdout).toContain('on_demand -> on-demand');
    await client.delete(Pods, { namespace: 'default', name: 'no-room' });

    await scale(client, 2);
    const nodes = await eventually(
      async () => (await client.list(Nodes)).items,
      (items) => items.length === 1 && items[0]?.metadata.name !== large?.status?.nodeName,
      60_000,
    );
    expect(nodes.map(({ metadata }) => metadata.name)).not.toContain(large?.status?.nodeName);
    expect(
      await eventually(
        () => running(client),
        (n) => n === 2,
      ),
    ).toBe(2);
    await client.close();
  } finally {
    await program.run(['down', '--name', 'story']);
  }
});
