import type { Pod } from '../kube/objects.ts';

export interface HostPort {
  /** Canonical text of the address; a v4 address mapped into v6 is its v4 form. */
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Ports of regular containers that are claimed on the node (karpenter-core.md 4.5.6). */
export function hostPorts(pod: Pod): readonly HostPort[] {
  return pod.spec.containers.flatMap((container) =>
    (container.ports ?? [])
      .filter((port) => port.hostPort)
      .map((port) => ({
        ip: canonicalAddress(port.hostIP || '0.0.0.0'),
        port: port.hostPort ?? 0,
        protocol: port.protocol ?? 'TCP',
      })),
  );
}

/** The first pair of ports that can't be on one node, if any. */
export function portConflict(
  wanted: readonly HostPort[],
  taken: readonly HostPort[],
): { readonly wanted: HostPort; readonly taken: HostPort } | undefined {
  for (const a of wanted) {
    for (const b of taken) if (clash(a, b)) return { wanted: a, taken: b };
  }
  return undefined;
}

function clash(a: HostPort, b: HostPort): boolean {
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.ip === b.ip || UNSPECIFIED.has(a.ip) || UNSPECIFIED.has(b.ip);
}

/** Lower case, the longest run of zero groups shortened, mapped v4 addresses as v4. */
function canonicalAddress(text: string): string {
  if (!text.includes(':')) return text;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail] = text.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].map((g) => g.replace(/^0+(?=.)/, ''));
  return groups.every((g) => g === '0') ? '::' : groups.join(':');
}
