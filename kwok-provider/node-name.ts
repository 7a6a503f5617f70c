import type { NodeClaim } from '../src/apis/node-claim.ts';

const ADJECTIVES = 'able bold brisk calm clear deft eager fair fond keen lucid mild neat proud quick sunny'.split(' ');
const NOUNS = 'auk bee carp dove elk finch gnu hare ibis jay koi lark moth newt otter wren'.split(' ');

/** FNV-1a, 32 bits, then mixed so that near-equal texts give unrelated numbers (Murmur3's finish). */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const pick = (words: readonly string[], number: number): string => words[number % words.length] ?? '';

/**
 * Name of the node that a claim gets: `kwok-<claim>-<adjective>-<noun>-<number>`. It follows from the claim's name and uid
 * alone, so that launching a claim twice makes one node.
 */
export function nodeName({ metadata: { name, uid = '' } }: NodeClaim): string {
  const number = hash32(`${uid}/${name}`);
  return `kwok-${name}-${pick(ADJECTIVES, number)}-${pick(NOUNS, number >>> 4)}-${number}`;
}
