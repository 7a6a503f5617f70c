import { type Level, type Making, making } from './random-world.ts';

/** What the makers of a fleet share beyond those of any world. */
export interface FleetMaking extends Making {
  /** `maybe` for what keeps nodes from being disrupted: seldom in a fleet with few obstacles. */
  readonly rare: Making['maybe'];
  /** Nodes have few large pods, that fit nowhere else: they are replaced rather than deleted. */
  readonly tight: boolean;
}

export function fleetMaking(seed: number, level: Level): FleetMaking {
  const make = making(seed, level);
  const share = make.maybe(0.6, 'few obstacles') ? 0.1 : 1;
  return {
    ...make,
    rare: (probability, feature, from) => make.maybe(probability * share, feature, from),
    tight: make.maybe(0.55, 'large pods'),
  };
}
