import type { KubeObject } from '../../src/kube/objects.ts';
import { KWOK_GROUP } from '../apis/kwok-node-class.ts';

/**
 * On a NodeClaim, by whoever plays the cloud: the RFC 3339 time at which the interruption of its instance was announced.
 */
export const ANNOTATION_INTERRUPTION = `${KWOK_GROUP}/interruption-notice`;

/** EC2 ends a spot instance two minutes after it has said so. */
export const NOTICE_MS = 120_000;

/** When the instance ends, in epoch milliseconds; undefined when nothing is announced. */
export function interruptedAt({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[ANNOTATION_INTERRUPTION];
  const announced = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(announced) ? undefined : announced + NOTICE_MS;
}
