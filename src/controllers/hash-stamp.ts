import { DRIFTED } from '../apis/condition-types.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { ControllerContext } from './context.ts';
import { tolerant } from './tolerant.ts';

export interface HashAnnotations {
  readonly hash: string;
  readonly version: string;
}

/** A hash on objects, with the version of how it is made, by which claims are found to drift from what they were made of. */
export class HashStamp {
  readonly #annotations: HashAnnotations;
  readonly #version: string;

  constructor(annotations: HashAnnotations, version: string) {
    this.#annotations = annotations;
    this.#version = version;
  }

  /** Whether the object's hash was made as hashes are made now. */
  hasVersion({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
    return metadata.annotations?.[this.#annotations.version] === this.#version;
  }

  /** The object with this hash, or with the one that it has. */
  stamped<T extends KubeObject>(object: T, hash: string | undefined): T {
    const annotations = {
      ...object.metadata.annotations,
      [this.#annotations.version]: this.#version,
      ...(hash === undefined ? {} : { [this.#annotations.hash]: hash }),
    };
    return { ...object, metadata: { ...object.metadata, annotations } };
  }

  /**
   * The hash is made otherwise than when the claims were, so theirs says nothing any more: they take this one. A claim that
   * had drifted keeps its hash, and so its drift.
   */
  async restamp(
    nodeClaims: Pick<ControllerContext['nodeClaims'], 'patch'>,
    claims: Iterable<NodeClaim>,
    hash: string,
    signal: AbortSignal,
  ): Promise<void> {
    for (const claim of claims) {
      if (this.hasVersion(claim)) continue;
      const isDrifted = claim.status?.conditions?.some(({ type }) => type === DRIFTED);
      await tolerant(async () => {
        await nodeClaims.patch(claim, this.stamped(claim, isDrifted ? undefined : hash), {}, signal);
        return undefined;
      });
    }
  }
}
