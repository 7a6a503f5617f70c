import type { PodTemplateSpec } from '../kube/objects.ts';
import { deepEqual } from './deep-equal.ts';

export const POD_TEMPLATE_HASH = 'pod-template-hash';

/** The characters of generated names: no vowels, so no words; no digits that look like letters. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a value: FNV-1a over its JSON with sorted keys, so that it does not depend on how it was written. */
export function hashOf(value: unknown, collisionCount = 0): string {
  const text = canonical(value) + (collisionCount > 0 ? `#${collisionCount}` : '');
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return [...String(hash >>> 0)].map((digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Equal but for the hash label that the owner adds. */
export function equalTemplates(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
