import { expect, test } from 'vitest';
import { nodePool, unschedulablePod } from '../factories/index.ts';
import { cli } from '../support/run-cli.ts';

const ZONE = 'topology.kubernetes.io/zone';

async function planned(flags: readonly string[], objects: readonly object[]): Promise<Record<string, unknown>> {
  await using program = await cli();
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const { stdout } = await program.run(['plan', '--from', '-', '-o', 'json', '-q', ...flags], { input });
  const { newNodeClaims, podErrors } = JSON.parse(stdout) as { newNodeClaims: unknown[]; podErrors: object };
  return { nodes: newNodeClaims.length, errors: Object.keys(podErrors) };
}

test('minValues that no zone can fulfil keep a pod waiting, unless the controller does its best', async () => {
  const requirements = [{ key: ZONE, operator: 'In', values: ['test-zone-a'], minValues: 2 }] as const;
  const pool = nodePool({ metadata: { name: 'p' }, spec: { template: { spec: { requirements: [...requirements] } } } });
  const objects = [
    { ...pool, metadata: { ...pool.metadata, uid: 'as-the-cluster-has-it' } },
    unschedulablePod({ metadata: { name: 'a', namespace: 'default' } }),
  ];
  expect(await planned([], objects)).toEqual({ nodes: 0, errors: ['default/a'] });
  expect(await planned(['--min-values-policy', 'BestEffort'], objects)).toEqual({ nodes: 1, errors: [] });
});

test('pods that would rather be apart share a node where preferences are ignored', async () => {
  const apart = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { app: 'web' } },
  };
  const podAntiAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: apart }],
  };
  const pod = (name: string) =>
    unschedulablePod({
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
      spec: { affinity: { podAntiAffinity } },
    });
  const objects = [nodePool({ metadata: { name: 'p' } }), pod('a'), pod('b')];
  expect(await planned([], objects)).toMatchObject({ nodes: 2 });
  expect(await planned(['--preference-policy', 'Ignore'], objects)).toMatchObject({ nodes: 1 });
});
