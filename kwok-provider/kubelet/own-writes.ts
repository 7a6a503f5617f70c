import type { KubeObject } from '../../src/kube/objects.ts';

/**
 * The versions of objects as one controller last wrote them. A cache that still shows an older one is not worth acting on:
 * its change will come. (Versions of one object are comparable numbers.)
 */
export class OwnWrites {
  readonly #versions = new Map<string, number>();

  note({ metadata }: KubeObject): void {
    this.#versions.set(metadata.uid ?? '', Number(metadata.resourceVersion));
  }

  forget({ metadata }: KubeObject): void {
    this.#versions.delete(metadata.uid ?? '');
  }

  isAheadOf({ metadata }: KubeObject): boolean {
    return Number(metadata.resourceVersion) < (this.#versions.get(metadata.uid ?? '') ?? 0);
  }
}
