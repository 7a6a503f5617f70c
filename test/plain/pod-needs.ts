/** What a pod needs of a node, whichever node it is. */
import type { Pod } from '../../src/kube/objects.ts';
import { podRequests } from '../../src/kube/pod-requests.ts';
import type { Amounts } from './amounts.ts';

export function requestsOf(pod: Pod): Amounts {
  return { ...podRequests(pod), pods: 1000 };
}

/** Pods that refer to ResourceClaims, as a whole or for a container. */
export function usesResourceClaims({ spec }: Pod): boolean {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return Boolean(spec.resourceClaims?.length) || containers.some(({ resources }) => resources?.claims?.length);
}

export interface Port {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** Of regular containers (karpenter-core.md 4.5.6). */
export function portsOf({ spec }: Pod): readonly Port[] {
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort, hostIP, protocol }) =>
    hostPort ? [{ ip: hostIP || '0.0.0.0', port: hostPort, protocol: protocol ?? 'TCP' }] : [],
  );
}

export function portsClash(wanted: readonly Port[], taken: readonly Port[]): boolean {
  const everywhere = ({ ip }: Port): boolean => ip === '0.0.0.0' || ip === '::';
  return wanted.some((a) =>
    taken.some(
      (b) => a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || everywhere(a) || everywhere(b)),
    ),
  );
}
