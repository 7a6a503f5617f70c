import { freePorts } from '../e2e/free-ports.ts';
import type { MotoServer } from './moto/server.ts';

export interface ControllerPlace {
  readonly moto: MotoServer;
  readonly region: string;
  readonly clusterName: string;
  /** The address that nodes are told, of nobody. */
  readonly clusterEndpoint: string;
  readonly kubeconfig: string;
}

/** What a controller of EC2, upstream's or ours, is told by its environment to work with moto on an embedded cluster. */
export async function controllerEnvironment(place: ControllerPlace): Promise<Readonly<Record<string, string>>> {
  const [metrics, health] = await freePorts(2);
  return {
    ...place.moto.environment(place.region),
    KUBECONFIG: place.kubeconfig,
    CLUSTER_NAME: place.clusterName,
    CLUSTER_ENDPOINT: place.clusterEndpoint,
    CLUSTER_CA_BUNDLE: Buffer.from('an authority').toString('base64'),
    SYSTEM_NAMESPACE: 'kube-system',
    METRICS_PORT: `${metrics}`,
    HEALTH_PROBE_PORT: `${health}`,
  };
}
