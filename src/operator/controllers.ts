import { OverlaidCloudProvider } from '../cloudprovider/overlaid-cloud-provider.ts';
import { OverlayStore } from '../cloudprovider/overlay-store.ts';
import { CapacityBufferController } from '../controllers/capacitybuffer/controller.ts';
import { BufferPassRecorder } from '../controllers/capacitybuffer/pass-recorder.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { DisruptionController } from '../controllers/disruption/controller.ts';
import { DisruptionMarks } from '../controllers/disruption/marks.ts';
import { DisruptionQueue } from '../controllers/disruption/queue.ts';
import { listersOf } from '../controllers/listers.ts';
import { observability } from '../controllers/metrics/observability.ts';
import { NodeHealth } from '../controllers/node/health.ts';
import { NodeHydration } from '../controllers/node/hydration.ts';
import { NodeTermination } from '../controllers/node/termination/controller.ts';
import { EvictionQueue } from '../controllers/node/termination/eviction-queue.ts';
import { Terminator } from '../controllers/node/termination/terminator.ts';
import { NodeClaimConsistency } from '../controllers/nodeclaim/consistency.ts';
import { NodeClaimDisruption } from '../controllers/nodeclaim/disruption/controller.ts';
import { NodeClaimExpiration } from '../controllers/nodeclaim/expiration.ts';
import { NodeClaimGarbageCollection } from '../controllers/nodeclaim/garbage-collection.ts';
import { NodeClaimHydration } from '../controllers/nodeclaim/hydration.ts';
import { NodeClaimLifecycle } from '../controllers/nodeclaim/lifecycle/controller.ts';
import { NodeClaimPodEvents } from '../controllers/nodeclaim/pod-events.ts';
import { NodeOverlayController } from '../controllers/nodeoverlay/controller.ts';
import { NodePoolCounter } from '../controllers/nodepool/counter.ts';
import { NodePoolHash } from '../controllers/nodepool/hash.ts';
import { NodePoolRegistrationHealth } from '../controllers/nodepool/health.ts';
import { NodePoolReadiness } from '../controllers/nodepool/readiness.ts';
import { NodePoolValidation } from '../controllers/nodepool/validation.ts';
import { Objects } from '../controllers/objects.ts';
import { Batcher } from '../controllers/provisioning/batcher.ts';
import { NodeClaimCreator } from '../controllers/provisioning/create-node-claims.ts';
import { type PassDeadline, Provisioner } from '../controllers/provisioning/provisioner.ts';
import { NodeTrigger, PodTrigger } from '../controllers/provisioning/triggers.ts';
import { schedulingOptions } from '../controllers/scheduling-options.ts';
import { NodeClaimStateCollection } from '../controllers/state/node-claim-gc.ts';
import { PoolPricing } from '../controllers/state/pricing.ts';
import { StaticDeprovisioning } from '../controllers/static/deprovisioning.ts';
import { StaticProvisioning } from '../controllers/static/provisioning.ts';
import { statusControllers } from '../controllers/status/status-controllers.ts';
import type { TriggeredController } from '../controllers/triggered.ts';
import type { Random } from '../kube/clock.ts';
import type { ControllerSpec } from '../kube/controller.ts';
import { CapacityBuffers } from '../kube/resources.ts';
import { VirtualPods } from '../state/virtual-pods.ts';
import type { OperatorOptions } from './options.ts';

const SHORTEST_NOMINATION_MS = 10_000;

/** Every controller, wired: the one place that knows which of them share what. */
export function createControllers(
  base: ControllerContext,
  options: OperatorOptions,
  random: Random,
  deadline?: PassDeadline,
): readonly (ControllerSpec | TriggeredController)[] {
  const { featureGates } = options;
  const overlays = new OverlayStore();
  const nodePool = (name: string) => base.nodePools.get(name);
  const cloud = featureGates.NodeOverlay
    ? new OverlaidCloudProvider({ cloud: base.cloud, overlays, nodePool })
    : base.cloud;
  const context: ControllerContext = { ...base, cloud };
  const batcher = new Batcher(context, { idleMs: options.batchIdleMs, maxMs: options.batchMaxMs });
  const buffers = featureGates.CapacityBuffer ? capacityBuffers(context, batcher) : undefined;
  const real = listersOf(context.informers);
  const listers = buffers?.pods.among(real) ?? real;
  const schedule = schedulingOptions({ ...options, reservedCapacity: featureGates.ReservedCapacity }, context.cloud);
  const nominationMs = Math.max(2 * options.batchMaxMs, SHORTEST_NOMINATION_MS);
  const creator = new NodeClaimCreator({ ...context, random });
  const evictionQueue = new EvictionQueue(context);
  const terminator = new Terminator({ ...context, evictionQueue });
  const marks = new DisruptionMarks(context);
  const queue = new DisruptionQueue({ ...context, random, marks, creator, nominationMs });
  return [
    new NodePoolHash(context),
    new NodePoolValidation(context),
    new NodePoolReadiness(context),
    new NodePoolRegistrationHealth(context),
    new NodePoolCounter(context),
    new NodeClaimLifecycle({ ...context, ignoreDRARequests: options.ignoreDRARequests }),
    new NodeClaimHydration(context),
    new NodeClaimDisruption(context),
    new NodeClaimPodEvents(context),
    new NodeClaimExpiration(context),
    new NodeClaimGarbageCollection(context),
    new NodeClaimConsistency(context),
    new NodeClaimStateCollection(context),
    new PoolPricing(context),
    new NodeHydration(context),
    new NodeTermination({ ...context, terminator }),
    evictionQueue,
    new PodTrigger({ ...context, batcher }),
    new NodeTrigger({ ...context, batcher }),
    new Provisioner({
      ...context,
      ...(buffers ? { buffers: buffers.recorder } : {}),
      listers,
      batcher,
      creator,
      nominationMs,
      ...(deadline ? { deadline } : {}),
      options: { ...schedule, reservedOfferingMode: 'Strict', enforceConsolidateAfter: false },
    }),
    new DisruptionController({
      ...context,
      listers,
      random,
      queue,
      marks,
      settings: {
        schedule,
        spotToSpotConsolidation: featureGates.SpotToSpotConsolidation,
      },
    }),
    queue,
    ...(options.disableClusterStateObservability
      ? []
      : [...observability(context), ...statusControllers(context, { capacityBuffers: featureGates.CapacityBuffer })]),
    ...(buffers ? [buffers.controller] : []),
    ...(featureGates.NodeOverlay ? [new NodeOverlayController({ ...base, overlays })] : []),
    ...(featureGates.StaticCapacity
      ? [new StaticProvisioning({ ...context, creator }), new StaticDeprovisioning(context)]
      : []),
    ...(featureGates.NodeRepair && context.cloud.repairPolicies().length > 0 ? [new NodeHealth(context)] : []),
  ];
}

/** What keeps room for pods that are yet to come. */
function capacityBuffers(context: ControllerContext, batcher: Batcher) {
  const pods = new VirtualPods();
  const buffers = new Objects(context, CapacityBuffers);
  return {
    pods,
    controller: new CapacityBufferController({ ...context, buffers, pods, batcher }),
    recorder: new BufferPassRecorder({ ...context, buffers }),
  };
}
