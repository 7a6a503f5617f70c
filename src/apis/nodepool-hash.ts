import { parseDuration, parseNillableDuration } from './duration.ts';
import type { NodePool } from './node-pool.ts';
import { hashInteger, hashMap, hashSet, hashStruct, hashText } from './structure-hash.ts';

/** Version of what the hash covers; both are annotations of pools and claims. */
export const NODEPOOL_HASH_VERSION = 'v3';

const text = (value: string | undefined): bigint | undefined => (value ? hashText(value) : undefined);

/** A Go time.Duration, in nanoseconds. */
const duration = (ms: number): bigint => hashInteger(BigInt(Math.round(ms * 1e6)), 8);

/** Both kinds of duration are structs around a Go duration. */
function nillableDuration(value: string | undefined): bigint | undefined {
  const ms = parseNillableDuration(value, 'Never');
  return ms === undefined ? undefined : hashStruct('NillableDuration', [['Duration', duration(ms)]]);
}

function gracePeriod(value: string | undefined): bigint | undefined {
  const ms = value === undefined ? undefined : parseDuration(value);
  if (ms === undefined) return undefined;
  return hashStruct('Duration', ms === 0 ? [] : [['Duration', duration(ms)]]);
}

type Template = NodePool['spec']['template'];

function taints(list: Template['spec']['taints']): bigint | undefined {
  if (!list) return undefined;
  return hashSet(
    list.map((taint) =>
      hashStruct('Taint', [
        ['Key', text(taint.key)],
        ['Value', text(taint.value)],
        ['Effect', text(taint.effect)],
      ]),
    ),
  );
}

/**
 * The drift hash of a pool's template, in decimal: equal to what upstream stamps for hash version v3, so that both can run
 * on one cluster. Requirements and everything outside the template are left out (karpenter-core.md 1.5).
 */
export function nodePoolHash(nodePool: NodePool): string {
  const { metadata, spec } = nodePool.spec.template;
  const hasMetadata = metadata?.labels !== undefined || metadata?.annotations !== undefined;
  const meta = hashStruct('ObjectMeta', [
    ['Labels', metadata?.labels && hashMap(metadata.labels)],
    ['Annotations', metadata?.annotations && hashMap(metadata.annotations)],
  ]);
  const nodeClass = hashStruct('NodeClassReference', [
    ['Kind', text(spec.nodeClassRef.kind)],
    ['Name', text(spec.nodeClassRef.name)],
    ['Group', text(spec.nodeClassRef.group)],
  ]);
  const template = hashStruct('NodeClaimTemplateSpec', [
    ['Taints', taints(spec.taints)],
    ['StartupTaints', taints(spec.startupTaints)],
    ['NodeClassRef', nodeClass],
    ['TerminationGracePeriod', gracePeriod(spec.terminationGracePeriod)],
    ['ExpireAfter', nillableDuration(spec.expireAfter)],
  ]);
  return hashStruct('NodeClaimTemplate', [
    ['ObjectMeta', hasMetadata ? meta : undefined],
    ['Spec', template],
  ]).toString();
}
