import { describe, expect, it } from 'vitest';
import { pdb, pool, reasons, run, SMALL } from '../../test/factories/disruption.ts';
import { boundPod, NOW, nodePool, runningNode, world } from '../../test/factories/index.ts';
import type { Pod } from '../kube/objects.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import type { DisruptOptions } from './types.ts';

describe('candidates', () => {
  const p = pool();
  const n = runningNode({ pool: p, name: 'n' });
  const web = boundPod(n, SMALL, { metadata: { name: 'web', labels: { app: 'web' } } });
  const single = (
    nodes: StateNode[],
    pods: Pod[],
    more: Pick<Partial<World>, 'podDisruptionBudgets'> = {},
    options: Partial<DisruptOptions> = {},
  ) => run(world({ pools: [p], nodes, pods, ...more }), 'SingleNodeConsolidation', options);

  it('7.2.1: leave out nodes that Karpenter did not make, that have not started, or that are going already', () => {
    const { nodeClaim: _, ...unmanaged } = runningNode({ pool: p, name: 'unmanaged' });
    const { node: __, ...noNode } = runningNode({ pool: p, name: 'no-node' });
    const marked = runningNode({ pool: p, name: 'marked', state: { markedForDeletion: true } });
    const nominated = runningNode({ pool: p, name: 'nominated', state: { nominatedUntil: NOW + 1 } });
    const result = single([unmanaged, noNode, marked, nominated], []);
    expect(result.candidates).toEqual([]);
    expect(reasons(result, unmanaged)).toEqual(['NoNodeClaim']);
    expect(reasons(result, noNode)).toEqual(['NoNode']);
    expect(reasons(result, marked)).toEqual(['Deleting']);
    expect(reasons(result, nominated)).toEqual(['Nominated']);
  });

  it('7.2.1: leave out nodes that a command is working on', () => {
    expect(reasons(single([n], [web], {}, { queued: new Set(['n']) }), n)).toEqual(['InQueue']);
  });

  it('7.2.1: respect do-not-disrupt on the node, only when it is exactly true', () => {
    const key = 'karpenter.sh/do-not-disrupt';
    const kept = runningNode({ pool: p, name: 'kept', annotations: { [key]: 'true' } });
    const odd = runningNode({ pool: p, name: 'odd', annotations: { [key]: '1h' } });
    const result = single([kept, odd], [boundPod(kept, SMALL), boundPod(odd, SMALL)]);
    expect(reasons(result, kept)).toEqual(['DoNotDisruptNode']);
    expect(result.candidates).toEqual(['odd']);
  });

  it('7.2.2: respect do-not-disrupt on a pod for as long as it says', () => {
    const protect = (value: string, startTime: string): Pod =>
      boundPod(n, SMALL, {
        metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } },
        status: { startTime },
      });
    const start = new Date(NOW - 60_000).toISOString();
    expect(reasons(single([n], [protect('true', start)]), n)).toContain('DoNotDisruptPod');
    expect(reasons(single([n], [protect('2m', start)]), n)).toContain('DoNotDisruptPod');
    expect(single([n], [protect('1m', start)]).candidates).toEqual(['n']);
    expect(single([n], [protect('soon', start)]).candidates).toEqual(['n']);
  });

  it('7.2.2: name the budget, and the pod, that prevents eviction', () => {
    const result = single([n], [web], { podDisruptionBudgets: [pdb('strict', { app: 'web' }, 0)] });
    expect(result.blocked.get('n')).toEqual([
      {
        code: 'PodDisruptionBudget',
        message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/strict])',
        objects: ['Pod/default/web', 'PodDisruptionBudget/default/strict'],
        event: 'DisruptionBlocked',
      },
    ]);
    expect(single([n], [web], { podDisruptionBudgets: [pdb('lax', { app: 'web' }, 1)] }).candidates).toEqual(['n']);
  });

  it('6.4.1: are ruled out by two budgets on one pod even if both allow it', () => {
    const budgets = [pdb('x', { app: 'web' }, 1), pdb('y', { app: 'web' }, 1)];
    const result = single([n], [web], { podDisruptionBudgets: budgets });
    expect(reasons(result, n)).toEqual(['MultiplePodDisruptionBudgets']);
  });

  it('7.2.2: of drift ignore what pods say when a termination grace period bounds the wait', () => {
    const bounded = nodePool({
      metadata: { name: 'default' },
      spec: { template: { spec: { terminationGracePeriod: '1h' } } },
    });
    const drifted = runningNode({ pool: bounded, name: 'drifted', conditions: ['Drifted', 'Consolidatable'] });
    const w = world({
      pools: [bounded],
      nodes: [drifted],
      pods: [boundPod(drifted, SMALL, { metadata: { labels: { app: 'web' } } })],
      podDisruptionBudgets: [pdb('strict', { app: 'web' }, 0)],
    });
    expect(run(w, 'Drift').candidates).toEqual(['drifted']);
    expect(run(w, 'SingleNodeConsolidation').candidates).toEqual([]);
  });
});
