import type { KubeObject } from '../../src/kube/objects.ts';
import { SeededChoices } from './random.ts';
import { randomCluster } from './random-cluster.ts';
import { randomPool } from './random-pool.ts';
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
  readonly catalogue: 'generic' | 'reserved';
}

/** What generators share while they make one world. */
export interface Making {
  readonly choices: SeededChoices;
  readonly level: Level;
  /** Notes a feature and returns true with a probability; at level `simple` rich features never come. */
  readonly maybe: (probability: number, feature: string, from?: Level) => boolean;
  readonly features: ReadonlySet<string>;
}

export const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];
const LEVELS: readonly Level[] = ['simple', 'mixed', 'all'];

export function making(seed: number, level: Level): Making {
  const choices = new SeededChoices(seed);
  const features = new Set<string>();
  const maybe: Making['maybe'] = (probability, feature, from = 'simple') => {
    const chosen = choices.chance(probability) && LEVELS.indexOf(level) >= LEVELS.indexOf(from);
    if (chosen) features.add(feature);
    return chosen;
  };
  return { choices, level, maybe, features };
}

/** A small cluster with pending pods. The same seed and level always give the same one. */
export function randomWorld(seed: number, level: Level): RandomWorld {
  const make = making(seed * 2654435761 + LEVELS.indexOf(level), level);
  const { choices, features } = make;
  const objects: KubeObject[] = [];
  const pools = choices.integer(1, make.maybe(0.5, 'several pools') ? 3 : 1);
  for (let i = 0; i < pools; i++) objects.push(randomPool(make, i));
  objects.push(...randomCluster(make, pools));
  const workloads = choices.integer(1, 7);
  for (let i = 0; i < workloads; i++) objects.push(...randomWorkload(make, i));
  return {
    seed,
    level,
    objects,
    features,
    preferencePolicy: make.maybe(0.15, 'preferences ignored', 'mixed') ? 'Ignore' : 'Respect',
    minValuesPolicy: make.maybe(0.3, 'minValues best effort', 'all') ? 'BestEffort' : 'Strict',
    catalogue: make.maybe(0.3, 'reserved capacity', 'all') ? 'reserved' : 'generic',
  };
}
