import type { Instance, ZonalShiftProvider } from '../contracts.ts';

/** The instances that EC2 told of last (aws-provider.md section 19): kept until a list no longer has them. */
export class InstanceCache {
  readonly #zonalShift: Pick<ZonalShiftProvider, 'isShifted'>;
  readonly #instances = new Map<string, Instance>();

  constructor(zonalShift: Pick<ZonalShiftProvider, 'isShifted'>) {
    this.#zonalShift = zonalShift;
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  set(instance: Instance): void {
    this.#instances.set(instance.id, instance);
  }

  delete(id: string): void {
    this.#instances.delete(id);
  }

  /** Takes up all that EC2 has; what is missing is gone, unless its zone is shifted away and EC2 may be silent of it. */
  replace(instances: readonly Instance[]): void {
    const live = new Set(instances.map(({ id }) => id));
    for (const instance of instances) this.set(instance);
    for (const [id, instance] of [...this.#instances]) {
      if (!live.has(id) && !this.isShifted(instance)) this.delete(id);
    }
  }

  /** Traffic is led away from its zone: EC2 must be spared calls about it. */
  isShifted({ zoneID }: Instance): boolean {
    return zoneID !== '' && this.#zonalShift.isShifted(zoneID);
  }
}
