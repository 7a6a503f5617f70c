import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { solve } from '../../src/scheduling/index.ts';
import { nodePool } from '../factories/index.ts';
import { type Level, type RandomWorld, randomWorld } from '../parity/random-world.ts';
import { fits } from '../plain/amounts.ts';
import { typeOf } from '../plain/instance-types.ts';
import { decide, decided, nameOf } from '../plain/random-decisions.ts';

const worlds = fc
  .record({ seed: fc.integer({ min: 1, max: 1e6 }), level: fc.constantFrom<Level>('simple', 'mixed', 'all') })
  .map(({ seed, level }) => identified(randomWorld(seed, level)));

/** With uids as a cluster gives them: they decide between pods that are alike. */
function identified(world: RandomWorld): RandomWorld {
  const objects = world.objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, uid: object.metadata.uid ?? `${object.kind} ${nameOf(object as never)}` },
  }));
  return { ...world, objects };
}

const check = <T>(values: fc.Arbitrary<T>, holds: (value: T) => void) =>
  fc.assert(fc.property(values, holds), { seed: 20_261_201, numRuns: 60 });

describe('whatever the world', () => {
  test('the order in which its objects are listed makes no difference', () => {
    const shuffled = worlds.chain((world) =>
      fc
        .shuffledSubarray([...world.objects], { minLength: world.objects.length })
        .map((objects) => ({ world, objects })),
    );
    check(shuffled, ({ world, objects }) => {
      expect(decided(decide(solve, world, objects))).toEqual(decided(decide(solve, world)));
    });
  });

  test('the same question has the same answer, to the last byte', () => {
    check(worlds, (world) => {
      expect(JSON.stringify(decided(decide(solve, world)))).toBe(JSON.stringify(decided(decide(solve, world))));
    });
  });

  test('every pod that is asked about is in one place, or has an error', () => {
    check(worlds, (world) => {
      const { newNodeClaims, existingNodes, podErrors, rejected = new Map() } = decide(solve, world);
      const placed = [...newNodeClaims, ...existingNodes].flatMap(({ pods }) => pods.map(nameOf));
      const others = [...podErrors.keys(), ...rejected.keys()].map(nameOf);
      const all = [...placed, ...others];
      expect(new Set(all).size).toBe(all.length);
      const waiting = world.objects.filter(isRefusedByScheduler).map((pod) => nameOf(pod as never));
      expect(waiting.filter((name) => !all.includes(name))).toEqual([]);
    });
  });

  test('every type of a new node holds what is asked of it, in some way in which it is sold', () => {
    check(worlds, (world) => {
      for (const { instanceTypes, requests } of decide(solve, world).newNodeClaims) {
        expect(instanceTypes.length).toBeGreaterThan(0);
        for (const type of instanceTypes.map(typeOf)) {
          expect(type.sold.some(({ allocatable }) => fits(requests, allocatable))).toBe(true);
        }
      }
    });
  });

  test.each<readonly [what: string, pool: NodePool]>([
    ['that is not ready', nodePool({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
    ['of a fixed size', nodePool({ spec: { replicas: 3 } })],
    ['that is being deleted', nodePool({ metadata: { deletionTimestamp: '2026-11-30T00:00:00Z' } })],
  ])('a further pool %s makes no difference', (_, pool) => {
    const heaviest = { ...pool, metadata: { ...pool.metadata, name: 'zzz' }, spec: { ...pool.spec, weight: 100 } };
    check(worlds, (world) => {
      const pools = world.objects.filter(({ kind }) => kind === 'NodePool');
      // With no pool that may grow there is nothing to leave as it is.
      if (pools.length === 0) return;
      expect(decided(decide(solve, world, [...world.objects, heaviest]))).toEqual(decided(decide(solve, world)));
    });
  });
});

function isRefusedByScheduler(object: KubeObject): boolean {
  if (object.kind !== 'Pod') return false;
  const { spec, status } = object as KubeObject & {
    readonly spec: { readonly nodeName?: string };
    readonly status?: {
      readonly conditions?: readonly { readonly reason?: string }[];
      readonly nominatedNodeName?: string;
    };
  };
  const owned = object.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
  const refused = status?.conditions?.some(({ reason }) => reason === 'Unschedulable');
  return Boolean(refused) && !spec.nodeName && !status?.nominatedNodeName && !owned;
}
