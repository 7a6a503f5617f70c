import { type AllocatableOfferings, allocatableOfferings } from './instance-offerings.ts';
import type { InstanceType } from './instance-type.ts';

/** What types leave to pods, worked out once however many pools sell them. */
export class Allocatables {
  readonly #byType = new Map<InstanceType, readonly AllocatableOfferings[]>();

  of(type: InstanceType): readonly AllocatableOfferings[] {
    let groups = this.#byType.get(type);
    if (!groups) {
      groups = allocatableOfferings(type);
      this.#byType.set(type, groups);
    }
    return groups;
  }
}
