import type { PodSpec } from '../../kube/objects.ts';

/** A port that a pod takes on its node. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY = '0.0.0.0';

/** Ports of containers and sidecars; plain init containers are gone before anything else could be in their way. */
export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostIP, protocol, hostPort = 0 }) => ({
        ip: hostIP || ANY,
        protocol: protocol || 'TCP',
        port: hostPort,
      })),
  );
}

/** Whether two pods can't have these ports on one node. */
export const portsConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
