import type { KubeObject } from '../kube/objects.ts';
import type { Blocker, BlockerCode } from './types.ts';

/** First letter in upper case, as upstream words its events. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `kind/name` or `kind/namespace/name`. */
export function objectName(kind: string, object: KubeObject): string {
  const { name, namespace } = object.metadata;
  return namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`;
}

/** A blocker that upstream reports with a DisruptionBlocked event. */
export function blocked(code: BlockerCode, message: string, objects: readonly string[] = []): Blocker {
  return { code, message: sentence(message), objects, event: 'DisruptionBlocked' };
}

/** A blocker that upstream reports with an Unconsolidatable event. */
export function unconsolidatable(code: BlockerCode, message: string, objects: readonly string[] = []): Blocker {
  return { code, message, objects, event: 'Unconsolidatable' };
}

/** A blocker that upstream keeps to itself. */
export function silent(code: BlockerCode, message: string, objects: readonly string[] = []): Blocker {
  return { code, message, objects };
}

/**
 * Blockers of emptiness and consolidation, without those by which each says that the node is for the other. Buffer pods are
 * in the way of emptiness alone: consolidation moves them.
 */
export function withoutOtherMethods<B extends { readonly code: string }>(blockers: readonly B[]): readonly B[] {
  const isEmptyNode = blockers.some(({ code }) => code === 'IsEmpty');
  return blockers.filter(
    ({ code }) => code !== 'NotEmpty' && code !== 'IsEmpty' && (isEmptyNode || code !== 'HostsBufferPods'),
  );
}
