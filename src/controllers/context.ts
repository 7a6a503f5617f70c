import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { CloudProvider } from '../cloudprovider/types.ts';
import type { Recorder } from '../events/recorder.ts';
import type { Client } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { Informers } from '../kube/informers.ts';
import type { Node } from '../kube/objects.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Cluster } from '../state/cluster.ts';
import type { PoolCosts } from '../state/pool-costs.ts';
import type { RegistrationHealth } from './nodepool/registration-health.ts';
import type { Objects } from './objects.ts';

/** What controllers are built from; each takes the part it needs. */
export interface ControllerContext {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly cloud: CloudProvider;
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly nodePools: Objects<NodePool>;
  readonly nodeClaims: Objects<NodeClaim>;
  readonly nodes: Objects<Node>;
  readonly registrationHealth: RegistrationHealth;
  readonly costs: PoolCosts;
}
