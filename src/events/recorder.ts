import type { Resource } from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';

/** Something worth telling about an object; upstream's catalogue is karpenter-core.md 12.2. */
export interface Event {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Events of one reason with the same values are told once per `dedupeMs`; without values, always. */
  readonly dedupe?: readonly string[];
  /** 2 minutes unless told. */
  readonly dedupeMs?: number;
  /** At most so many per second (and `burst` at once) of this reason. */
  readonly limit?: { readonly perSecond: number; readonly burst: number };
}

/** Takes events; writing them to the API is its own business and never fails the caller. */
export interface Recorder {
  publish(...events: readonly Event[]): void;
}
