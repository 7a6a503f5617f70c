import { jsonEqual } from '../../kube/json-equal.ts';
import type { JsonObject } from '../kind.ts';

/** Who mutates again after something else has changed an object (apiserver's reinvocation contexts). */
export class Reinvocation {
  readonly #eligible = new Set<string>();
  readonly #again = new Set<string>();
  #output: JsonObject | undefined;
  #changed = false;

  /** Whether anything has changed the object, so that all of the chain goes round once more. */
  get changed(): boolean {
    return this.#changed;
  }

  /** Begins the second round: whoever came before is asked again if the object isn't what this left it as. */
  restart(object: JsonObject): void {
    if (this.#output !== undefined && !jsonEqual(this.#output, object)) this.#require();
  }

  /** Notes what one that mutates has done. */
  ran(id: string, { changed, ifNeeded }: { readonly changed: boolean; readonly ifNeeded: boolean }): void {
    if (changed) {
      this.#require();
      this.#changed = true;
    }
    if (ifNeeded) this.#eligible.add(id);
  }

  finish(object: JsonObject): void {
    this.#output = object;
  }

  /** Whether one runs in the second round. */
  runsAgain(id: string): boolean {
    return this.#again.has(id);
  }

  #require(): void {
    for (const id of this.#eligible) this.#again.add(id);
    this.#eligible.clear();
  }
}
