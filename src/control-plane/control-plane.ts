import type { ControllerSpec } from '../kube/controller.ts';
import { autoscalingController } from './autoscaling/controller.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { cronJobController } from './cron-job/controller.ts';
import { daemonSetController } from './daemon-set/controller.ts';
import { deploymentController } from './deployment/controller.ts';
import { disruptionBudgetController } from './disruption-budget/controller.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import { jobController } from './job/controller.ts';
import { namespaceController } from './namespaces/controller.ts';
import { serviceAccountController } from './namespaces/service-account-controller.ts';
import { taintEvictionController } from './node-lifecycle/eviction-controller.ts';
import { nodeHealthController } from './node-lifecycle/health-controller.ts';
import { DEFAULT_NODE_LIFECYCLE_OPTIONS, type NodeLifecycleOptions } from './node-lifecycle/options.ts';
import { podCollector } from './node-lifecycle/pod-collector.ts';
import { replicaSetController } from './replica-set/controller.ts';
import { ResourceDirectory } from './resource-directory.ts';
import { endpointsController } from './service-discovery/controller.ts';
import { statefulSetController } from './stateful-set/controller.ts';
import { volumeControllers } from './volumes/volume-controllers.ts';

export interface ControlPlaneOptions {
  readonly nodes?: Partial<NodeLifecycleOptions>;
}

/**
 * What kube-controller-manager does for a cluster, to be given to a manager. Each controller stands alone: leave out
 * those (by `name`) that something else does.
 */
export function controlPlane(deps: ControlPlaneDeps, options: ControlPlaneOptions = {}): readonly ControllerSpec[] {
  const directory = new ResourceDirectory(deps);
  const nodes = { ...DEFAULT_NODE_LIFECYCLE_OPTIONS, ...options.nodes };
  return [
    deploymentController(deps),
    replicaSetController(deps),
    daemonSetController(deps),
    statefulSetController(deps),
    jobController(deps),
    cronJobController(deps),
    disruptionBudgetController(deps),
    nodeHealthController(deps, nodes),
    taintEvictionController(deps),
    podCollector(deps, nodes),
    garbageCollector(deps, directory),
    namespaceController(deps, directory),
    serviceAccountController(deps),
    endpointsController(deps),
    autoscalingController(deps, directory),
    ...volumeControllers(deps),
  ];
}
