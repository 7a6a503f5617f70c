import type { Reason } from '../scheduling/types.ts';

/** A rule about where a pod's fellows are, with what was counted in each domain. */
export interface TopologyBlock {
  readonly rule: 'TopologySpread' | 'PodAffinity' | 'PodAntiAffinity';
  /** The label that the domains are values of. */
  readonly key: string;
  /** Matching pods by domain. */
  readonly counts: Readonly<Record<string, number>>;
}

const RULES: ReadonlySet<string> = new Set(['TopologySpread', 'PodAffinity', 'PodAntiAffinity']);

/** Reads the rule and its counts off a packer's reason; undefined for reasons of another kind. */
export function topologyBlock({ code, subject, message }: Reason): TopologyBlock | undefined {
  if (!RULES.has(code) || subject === undefined) return undefined;
  const printed = /counts = map\[([^\]]*)\]/.exec(message)?.[1] ?? '';
  const counts = printed.split(' ').flatMap((pair) => {
    const at = pair.lastIndexOf(':');
    return at > 0 ? [[pair.slice(0, at), Number(pair.slice(at + 1))] as const] : [];
  });
  return { rule: code as TopologyBlock['rule'], key: subject, counts: Object.fromEntries(counts) };
}
