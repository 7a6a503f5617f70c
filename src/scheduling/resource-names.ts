import type { Resources } from './resources.ts';

/** Numbers resources in the order in which they are met, so that amounts can be kept in arrays. */
export class ResourceNames {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];

  idOf(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#names.length;
      this.#ids.set(name, id);
      this.#names.push(name);
    }
    return id;
  }

  name(id: number): string {
    return this.#names[id] ?? '';
  }

  /** Amounts by number; what the array does not reach is zero. */
  amounts(resources: Resources): number[] {
    const amounts: number[] = [];
    for (const name in resources) {
      const id = this.idOf(name);
      while (amounts.length <= id) amounts.push(0);
      amounts[id] = resources[name] ?? 0;
    }
    return amounts;
  }
}
