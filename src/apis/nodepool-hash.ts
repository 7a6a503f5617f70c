import { parseDuration, parseNillableDuration } from './duration.ts';
import type { NodePool } from './node-pool.ts';

/** Version of what the hash covers; both are annotations of pools and claims. */
export const NODEPOOL_HASH_VERSION = 'v3';

const OFFSET = 14695981039346656037n;
const PRIME = 1099511628211n;
const MASK = (1n << 64n) - 1n;

/** FNV-1 (multiply, then xor), 64 bits. */
function fnv(bytes: Iterable<number>): bigint {
  let hash = OFFSET;
  for (const byte of bytes) hash = ((hash * PRIME) & MASK) ^ BigInt(byte);
  return hash;
}

function littleEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value & MASK, true);
  return bytes;
}

const ofText = (text: string): bigint => fnv(new TextEncoder().encode(text));
const ofInteger = (value: bigint): bigint => fnv(littleEndian(value));
const ordered = (a: bigint, b: bigint): bigint => fnv([...littleEndian(a), ...littleEndian(b)]);
const finished = (value: bigint): bigint => fnv(littleEndian(value));

function ofMap(map: Readonly<Record<string, string>>): bigint {
  let hash = 0n;
  for (const [key, value] of Object.entries(map)) hash ^= ordered(ofText(key), ofText(value));
  return finished(hash);
}

/** A set's members are xor-ed, so two equal members cancel out, as they do upstream. */
const ofSet = (members: readonly bigint[]): bigint => members.reduce((hash, member) => hash ^ member, 0n);

type Field = readonly [name: string, hash: bigint | undefined];

/** A struct by its Go type name; an undefined field is a zero value and doesn't count. */
function ofStruct(type: string, fields: readonly Field[]): bigint {
  let hash = ofText(type);
  for (const [name, value] of fields) {
    if (value !== undefined) hash ^= ordered(ofText(name), value);
    // hashstructure hardens the hash after every field it visits, and skips that with the field when it is zero.
    if (value !== undefined) hash = finished(hash);
  }
  return hash;
}

const text = (value: string | undefined): bigint | undefined => (value ? ofText(value) : undefined);

/** A Go time.Duration, in nanoseconds. */
const duration = (ms: number): bigint => ofInteger(BigInt(Math.round(ms * 1e6)));

/** Both kinds of duration are structs around a Go duration. */
function nillableDuration(value: string | undefined): bigint | undefined {
  const ms = parseNillableDuration(value, 'Never');
  return ms === undefined ? undefined : ofStruct('NillableDuration', [['Duration', duration(ms)]]);
}

function gracePeriod(value: string | undefined): bigint | undefined {
  const ms = value === undefined ? undefined : parseDuration(value);
  if (ms === undefined) return undefined;
  return ofStruct('Duration', ms === 0 ? [] : [['Duration', duration(ms)]]);
}

type Template = NodePool['spec']['template'];

function taints(list: Template['spec']['taints']): bigint | undefined {
  if (!list) return undefined;
  return ofSet(
    list.map((taint) =>
      ofStruct('Taint', [
        ['Key', text(taint.key)],
        ['Value', text(taint.value)],
        ['Effect', text(taint.effect)],
      ]),
    ),
  );
}

/**
 * The drift hash of a pool's template, in decimal: equal to what upstream stamps for hash version v3, so that both can run
 * on one cluster. Requirements and everything outside the template are left out (karpenter-core.md 1.5; the algorithm is
 * mitchellh/hashstructure, format 2, slices as sets, zero values ignored).
 */
export function nodePoolHash(nodePool: NodePool): string {
  const { metadata, spec } = nodePool.spec.template;
  const hasMetadata = metadata?.labels !== undefined || metadata?.annotations !== undefined;
  const meta = ofStruct('ObjectMeta', [
    ['Labels', metadata?.labels && ofMap(metadata.labels)],
    ['Annotations', metadata?.annotations && ofMap(metadata.annotations)],
  ]);
  const nodeClass = ofStruct('NodeClassReference', [
    ['Kind', text(spec.nodeClassRef.kind)],
    ['Name', text(spec.nodeClassRef.name)],
    ['Group', text(spec.nodeClassRef.group)],
  ]);
  const template = ofStruct('NodeClaimTemplateSpec', [
    ['Taints', taints(spec.taints)],
    ['StartupTaints', taints(spec.startupTaints)],
    ['NodeClassRef', nodeClass],
    ['TerminationGracePeriod', gracePeriod(spec.terminationGracePeriod)],
    ['ExpireAfter', nillableDuration(spec.expireAfter)],
  ]);
  return ofStruct('NodeClaimTemplate', [
    ['ObjectMeta', hasMetadata ? meta : undefined],
    ['Spec', template],
  ]).toString();
}
