import { describe, expect, it } from 'vitest';
import { pool, run, SMALL } from '../../test/factories/disruption.ts';
import { boundPod, nodePool, runningNode, unschedulablePod, world } from '../../test/factories/index.ts';
import { Requirements } from '../scheduling/requirements.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import { applyCommand } from './apply-command.ts';
import type { MethodName } from './types.ts';

function worldAfter(before: World, method: MethodName): World {
  const [command] = run(before, method).commands;
  if (!command) throw new Error(`${method} has no command`);
  return applyCommand(before, command);
}

const names = ({ nodes }: World): string[] => nodes.map(stateNodeName);
const homes = ({ pods }: World): Record<string, string | undefined> =>
  Object.fromEntries(pods.map((pod) => [pod.metadata.name, pod.spec.nodeName]));
const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd' };

describe('the world after a command', () => {
  it('lacks the deleted node, and has its pods where the simulation put them', () => {
    const p = pool();
    const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
    const stays = ['1', '2'].map((name) => boundPod(b, { cpu: '2' }, { metadata: { name: `stays-${name}` } }));
    const moves = boundPod(a, SMALL, { metadata: { name: 'moves' } });
    const daemon = boundPod(a, SMALL, { metadata: { name: 'daemon', ownerReferences: [daemonSet] } });
    const ended = boundPod(a, SMALL, { metadata: { name: 'ended' }, status: { phase: 'Succeeded' } });
    const w = worldAfter(
      world({ pools: [p], nodes: [a, b], pods: [moves, daemon, ended, ...stays] }),
      'SingleNodeConsolidation',
    );
    expect(names(w)).toEqual(['b']);
    expect(homes(w)).toEqual({ moves: 'b', 'stays-1': 'b', 'stays-2': 'b' });
  });

  it('has a ready node of the cheapest type in place of a replaced one, and nothing left to do', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n', instanceType: 'm-16x-amd64-linux' });
    const moves = boundPod(n, SMALL, { metadata: { name: 'moves' } });
    const w = worldAfter(world({ pools: [p], nodes: [n], pods: [moves] }), 'SingleNodeConsolidation');
    expect(names(w)).toEqual(['default-planned-1']);
    expect(w.nodes[0]?.node?.metadata.labels).toMatchObject({
      'karpenter.sh/nodepool': 'default',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/initialized': 'true',
      'karpenter.kwok.sh/kwoknodeclass': 'default',
      'kubernetes.io/arch': 'amd64',
      'node.kubernetes.io/instance-type': 'c-2x-amd64-linux',
      'topology.kubernetes.io/zone': expect.stringMatching(/^test-zone-[a-d]$/),
    });
    expect(homes(w)).toEqual({ moves: 'default-planned-1' });
    const next = run(w, 'SingleNodeConsolidation', { spotToSpotConsolidation: true });
    expect(next.candidates).toEqual(['default-planned-1']);
    expect(next.commands).toEqual([]);
  });

  it('has a new name for every new node', () => {
    const p = pool();
    const planned = runningNode({ pool: p, name: 'default-planned-1', instanceType: 'm-16x-amd64-linux' });
    const w = worldAfter(
      world({ pools: [p], nodes: [planned], pods: [boundPod(planned, SMALL)] }),
      'SingleNodeConsolidation',
    );
    expect(names(w)).toEqual(['default-planned-2']);
  });

  it('has pods that cost nothing to evict waiting for a node', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n' });
    const worthless = boundPod(n, SMALL, { metadata: { name: 'worthless' }, spec: { priority: -2147483648 } });
    const w = worldAfter(world({ pools: [p], nodes: [n], pods: [worthless] }), 'Emptiness');
    expect(homes(w)).toEqual({ worthless: undefined });
    expect(w.pods[0]?.status?.conditions).toMatchObject([{ type: 'PodScheduled', reason: 'Unschedulable' }]);
  });

  it('has waiting pods running on the nodes that were chosen with them in mind', () => {
    const p = pool();
    const drifted = runningNode({ pool: p, name: 'drifted', conditions: ['Drifted'] });
    const pods = [
      boundPod(drifted, SMALL, { metadata: { name: 'moves' } }),
      unschedulablePod({ metadata: { name: 'waits' } }),
    ];
    const w = worldAfter(world({ pools: [p], nodes: [drifted], pods }), 'Drift');
    expect(homes(w)).toEqual({ moves: 'default-planned-1', waits: 'default-planned-1' });
  });

  it('leaves nodes that are on their way out, and their pods, as they are', () => {
    const p = pool();
    const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
    const leaving = runningNode({ pool: p, name: 'leaving', state: { markedForDeletion: true } });
    const pods = [
      boundPod(a, SMALL, { metadata: { name: 'of-a' } }),
      boundPod(b, { cpu: '2' }, { metadata: { name: 'of-b' } }),
      boundPod(b, { cpu: '2' }, { metadata: { name: 'of-b-too' } }),
      boundPod(leaving, SMALL, { metadata: { name: 'of-leaving' } }),
    ];
    const w = worldAfter(world({ pools: [p], nodes: [a, b, leaving], pods }), 'SingleNodeConsolidation');
    expect(names(w)).toEqual(['b', 'leaving']);
    expect(homes(w)).toEqual({ 'of-a': 'b', 'of-b': 'b', 'of-b-too': 'b', 'of-leaving': 'leaving' });
  });

  it('has what a static pool would get for a drifted node', () => {
    const p = pool({}, { replicas: 1 });
    const n = runningNode({ pool: p, name: 'n', conditions: ['Drifted'] });
    const w = worldAfter(world({ pools: [p], nodes: [n] }), 'StaticDrift');
    expect(names(w)).toEqual(['default-planned-1']);
    expect(run(w, 'StaticDrift').candidates).toEqual([]);
  });

  it('gives a reservation back with its node', () => {
    const label = 'karpenter.kwok.sh/reservation-id';
    const p = nodePool({ metadata: { name: 'default' } });
    const n = runningNode({ pool: p, name: 'n', conditions: ['Consolidatable'], capacityType: 'reserved' });
    const labels = { ...n.node?.metadata.labels, [label]: 'r-1' };
    const node = n.node && { ...n.node, metadata: { ...n.node.metadata, labels } };
    const base = world({ pools: [p], nodes: [{ ...n, ...(node ? { node } : {}) }] });
    const requirements = Requirements.fromLabels({
      'karpenter.sh/capacity-type': 'reserved',
      'topology.kubernetes.io/zone': 'test-zone-a',
      [label]: 'r-1',
    });
    const used = { requirements, price: 0.001, available: true, reservationCapacity: 0 };
    const pools = base.pools.map((sold) => ({
      ...sold,
      instanceTypes: sold.instanceTypes.map((type) => ({ ...type, offerings: [...type.offerings, used] })),
    }));
    const w = worldAfter({ ...base, pools }, 'Emptiness');
    const offering = w.pools[0]?.instanceTypes[0]?.offerings.at(-1);
    expect(offering?.reservationCapacity).toBe(1);
  });
});
