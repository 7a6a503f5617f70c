import type { Clock } from '../../../kube/clock.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import { classKey } from './class-key.ts';
import type { MemoryDiscovery } from './discovered-memory.ts';

const TTL_MS = 5 * 60_000;
const SWEEP_MS = 60_000;

interface Resolved {
  /** The class's AMIs, as its key has them. */
  readonly amis: string;
  readonly list: readonly InstanceType[];
  readonly byName: ReadonlyMap<string, InstanceType>;
}

/**
 * The instance types of classes. As long as a class's are asked for and nothing changes they stay the same objects: what
 * core works out for a type is found again by the type itself.
 */
export class ResolvedTypes {
  readonly #byClass: TtlCache<Resolved>;

  constructor(clock: Clock) {
    this.#byClass = new TtlCache(clock, { ttlMs: TTL_MS, sweepMs: SWEEP_MS });
  }

  /** @param resolve all types for the class, where they are not known. */
  of(nodeClass: EC2NodeClass, resolve: () => readonly InstanceType[]): Resolved {
    const { types, amis } = classKey(nodeClass);
    const resolved = this.#byClass.get(types) ?? withNames(amis, resolve());
    this.#byClass.set(types, resolved);
    return resolved;
  }

  /** Gives one type the memory that its nodes turned out to have, for classes with the same AMIs. */
  discovered({ instanceType, amis, memoryMilli }: MemoryDiscovery): void {
    for (const [key, resolved] of this.#byClass.entries()) {
      if (resolved.amis !== amis || !resolved.byName.has(instanceType)) continue;
      const list = resolved.list.map((type) =>
        type.name === instanceType ? { ...type, capacity: { ...type.capacity, memory: memoryMilli } } : type,
      );
      this.#byClass.set(key, withNames(amis, list));
    }
  }

  flush(): void {
    this.#byClass.flush();
  }
}

function withNames(amis: string, list: readonly InstanceType[]): Resolved {
  return { amis, list, byName: new Map(list.map((type) => [type.name, type])) };
}
