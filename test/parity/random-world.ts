import type { KubeObject } from '../../src/kube/objects.ts';
import type { CatalogueName } from './catalogues.ts';
import { SeededChoices } from './random.ts';
import { randomCluster } from './random-cluster.ts';
import { asStatic, randomBuffers, randomOverlays } from './random-gated.ts';
import { randomPool, unusable } from './random-pool.ts';
import { randomWorkload } from './random-workload.ts';

/** `simple`: what most clusters have; `mixed`: everything that pods can ask of nodes and each other; `all`: the rest too. */
export type Level = 'simple' | 'mixed' | 'all';

export interface RandomWorld {
  readonly seed: number;
  readonly level: Level;
  readonly objects: readonly KubeObject[];
  /** What is in it, for counting. */
  readonly features: ReadonlySet<string>;
  readonly preferencePolicy: 'Respect' | 'Ignore';
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** What can be bought. */
  readonly catalogue: CatalogueName;
  /** Those that are on. */
  readonly gates?: Partial<Record<'nodeOverlay' | 'capacityBuffer' | 'staticCapacity', boolean>>;
}

/** What generators share while they make one world. */
export interface Making {
  readonly choices: SeededChoices;
  readonly level: Level;
  /** Notes a feature and returns true with a probability; at level `simple` rich features never come. */
  readonly maybe: (probability: number, feature: string, from?: Level) => boolean;
  readonly note: (feature: string) => void;
  readonly features: ReadonlySet<string>;
}

export const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];
export const APPS = ['web', 'api', 'db', 'job'];
export const LEVELS: readonly Level[] = ['simple', 'mixed', 'all'];

export function making(seed: number, level: Level): Making {
  const choices = new SeededChoices(seed);
  const features = new Set<string>();
  const maybe: Making['maybe'] = (probability, feature, from = 'simple') => {
    const chosen = choices.chance(probability) && LEVELS.indexOf(level) >= LEVELS.indexOf(from);
    if (chosen) features.add(feature);
    return chosen;
  };
  return { choices, level, maybe, note: (feature) => features.add(feature), features };
}

/** A small cluster with pending pods. The same seed and level always give the same one. */
export function randomWorld(seed: number, level: Level): RandomWorld {
  const make = making(seed * 2654435761 + LEVELS.indexOf(level), level);
  const { choices, features, maybe } = make;
  const objects: KubeObject[] = [];
  const pools = choices.integer(1, maybe(0.5, 'several pools') ? 3 : 1);
  const staticCapacity = maybe(0.12, 'static pool', 'mixed');
  for (let i = 0; i < pools; i++) {
    const pool = randomPool(make, i);
    const fixed = staticCapacity && (i > 0 || choices.chance(0.2)) ? asStatic(pool, make) : pool;
    objects.push(maybe(0.03, 'pool that can’t be used') ? unusable(fixed, make) : fixed);
  }
  objects.push(...randomCluster(make, pools));
  const workloads = choices.integer(1, 7);
  for (let i = 0; i < workloads; i++) objects.push(...randomWorkload(make, i));
  const nodeOverlay = maybe(0.15, 'node overlays', 'mixed');
  if (nodeOverlay) objects.push(...randomOverlays(make));
  const capacityBuffer = maybe(0.12, 'capacity buffers', 'mixed');
  if (capacityBuffer) objects.push(...randomBuffers(make));
  return {
    seed,
    level,
    objects,
    features,
    preferencePolicy: maybe(0.15, 'preferences ignored', 'mixed') ? 'Ignore' : 'Respect',
    minValuesPolicy: maybe(0.3, 'minValues best effort', 'all') ? 'BestEffort' : 'Strict',
    catalogue: randomCatalogue(make),
    gates: { nodeOverlay, capacityBuffer, staticCapacity },
  };
}

function randomCatalogue({ maybe }: Making): CatalogueName {
  if (maybe(0.25, 'reserved capacity', 'all')) return 'reserved';
  if (maybe(0.15, 'offerings sold out or of other size', 'mixed')) return 'uneven';
  return maybe(0.06, 'more than 600 types', 'mixed') ? 'large' : 'generic';
}
