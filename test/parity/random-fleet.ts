import type { NodePool } from '../../src/apis/node-pool.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import type { CatalogueName } from './catalogues.ts';
import { changedFleet } from './random-fleet-change.ts';
import { fleetMaking } from './random-fleet-making.ts';
import { fleetNode } from './random-fleet-nodes.ts';
import { randomBudgetsOfPods } from './random-fleet-pdbs.ts';
import { fleetDaemonSet } from './random-fleet-pods.ts';
import { fleetPool } from './random-fleet-pools.ts';
import { randomBuffers, randomOverlays } from './random-gated.ts';
import { randomPool } from './random-pool.ts';
import { storage } from './random-volumes.ts';
import { randomWorkload } from './random-workload.ts';
import type { Level, Making, RandomWorld } from './random-world.ts';

/** What the controllers know beyond the objects: names of nodes. */
export interface FleetState {
  readonly objects: readonly KubeObject[];
  /** Chosen for a pending pod a moment ago. */
  readonly nominated: readonly string[];
  /** Marked for deletion by a command, before the API knows. */
  readonly marked: readonly string[];
  /** Their claim is in a running command. */
  readonly queued: readonly string[];
}

export interface RandomFleet extends RandomWorld, FleetState {
  readonly spotToSpot: boolean;
  /** The cluster 15 seconds later, when commands are looked at again. */
  readonly later: FleetState | undefined;
}

/** A cluster of running nodes, some of which could go: what disruption has to decide about. */
export function randomFleet(seed: number, level: Level): RandomFleet {
  const make = fleetMaking(seed * 40503 + 7, level);
  const { choices, maybe, rare, features } = make;
  const objects: KubeObject[] = [
    ...['default', 'spare'].map((name) => ({
      apiVersion: 'karpenter.kwok.sh/v1alpha1',
      kind: 'KWOKNodeClass',
      metadata: { name },
    })),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { tier: 'one' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    ...storage(),
  ];
  const catalogue = randomCatalogue(make);
  const pools: NodePool[] = [];
  const count = choices.integer(1, maybe(0.5, 'several pools') ? 3 : 1);
  const size = fleetSize(make);
  for (let i = 0; i < count; i++) pools.push(fleetPool(randomPool(make, i), make));
  objects.push(...pools);
  const names = Array.from({ length: size }, (_, i) => `node-${String(i).padStart(3, '0')}`);
  for (const name of names) objects.push(...fleetNode(make, name, pools, catalogue));
  if (maybe(0.2, 'DaemonSet')) objects.push(fleetDaemonSet(make));
  if (rare(0.4, 'PDB')) objects.push(...randomBudgetsOfPods(make));
  if (rare(0.3, 'pending pods')) objects.push(...randomWorkload(make, 0));
  const nodeOverlay = maybe(0.25, 'node overlays', 'mixed');
  if (nodeOverlay) objects.push(...randomOverlays(make));
  const capacityBuffer = maybe(0.2, 'capacity buffers', 'mixed');
  if (capacityBuffer) objects.push(...randomBuffers(make));
  const state: FleetState = {
    objects,
    nominated: maybe(0.15, 'nominated node') ? choices.some(names, 2) : [],
    marked: maybe(0.1, 'marked node') ? choices.some(names, 2) : [],
    queued: maybe(0.1, 'node in a command') ? choices.some(names, 2) : [],
  };
  return {
    ...state,
    seed,
    level,
    features,
    preferencePolicy: maybe(0.1, 'preferences ignored', 'mixed') ? 'Ignore' : 'Respect',
    minValuesPolicy: maybe(0.2, 'minValues best effort', 'all') ? 'BestEffort' : 'Strict',
    catalogue,
    gates: { nodeOverlay, capacityBuffer, staticCapacity: true },
    spotToSpot: maybe(0.5, 'spot to spot'),
    later: maybe(0.5, 'changed before validation') ? changedFleet(make, state) : undefined,
  };
}

function randomCatalogue({ maybe }: Making): CatalogueName {
  if (maybe(0.4, 'reserved capacity', 'all')) return 'reserved';
  if (maybe(0.2, 'offerings sold out or of other size', 'mixed')) return 'uneven';
  return maybe(0.05, 'more than 600 types', 'mixed') ? 'large' : 'generic';
}

function fleetSize({ choices, maybe }: Making): number {
  if (maybe(0.06, 'more than 60 nodes', 'all')) return choices.integer(61, 115);
  if (maybe(0.12, '15 to 40 nodes', 'mixed')) return choices.integer(15, 40);
  return choices.integer(2, 14);
}
