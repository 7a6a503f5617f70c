import { combinedError } from '../../../controllers/combined-error.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import type { Objects } from '../../../controllers/objects.ts';
import { soonest } from '../../../controllers/soonest.ts';
import { type ControllerSpec, type ReconcileResult, reads, watch } from '../../../kube/controller.ts';
import { isConflict, isNotFound } from '../../../kube/errors.ts';
import { NodeClaims, NodePools } from '../../../kube/resources.ts';
import { ec2NodeClassConditions } from '../../apis/condition-types.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import { denialOf } from '../../aws-api/explained-denials.ts';
import { AmiReconciler, type AmiReconcilerDeps } from './ami.ts';
import { CapacityReservationReconciler, type CapacityReservationReconcilerDeps } from './capacity-reservation.ts';
import { NodeClassDraft, type NodeClassReconciler } from './draft.ts';
import { unauthorized } from './events.ts';
import { Finalizer, type FinalizerDeps } from './finalizer.ts';
import { InstanceProfileReconciler, type InstanceProfileReconcilerDeps } from './instance-profile.ts';
import { PlacementGroupReconciler, type PlacementGroupReconcilerDeps } from './placement-group.ts';
import { SecurityGroupReconciler } from './security-group.ts';
import { SubnetReconciler } from './subnet.ts';
import { ValidationReconciler, type ValidationReconcilerDeps } from './validation/reconciler.ts';
import { ValidationCache } from './validation/validation-cache.ts';

export type NodeClassControllerDeps = AmiReconcilerDeps &
  CapacityReservationReconcilerDeps &
  PlacementGroupReconcilerDeps &
  InstanceProfileReconcilerDeps &
  ConstructorParameters<typeof SubnetReconciler>[0] &
  ConstructorParameters<typeof SecurityGroupReconciler>[0] &
  Omit<ValidationReconcilerDeps, 'cache'> &
  Omit<FinalizerDeps, 'cache'> &
  Pick<ControllerContext, 'clock'> & {
    readonly nodeClasses: Objects<EC2NodeClass>;
    /** The feature gate. */
    readonly reservedCapacity: boolean;
  };

/**
 * Looks up what EC2NodeClasses select and whether nodes can be launched with it, and says so in their status
 * (aws-provider.md section 6). A class that is deleted goes when its claims have gone, and takes what was made for it.
 */
export class NodeClassController implements ControllerSpec {
  readonly name = 'nodeclass';
  readonly watches = [
    watch(Ec2NodeClasses),
    watch(NodeClaims, ({ type, object }) => (type === 'Deleted' ? [object.spec.nodeClassRef.name] : [])),
    reads(NodePools),
  ];
  readonly #deps: NodeClassControllerDeps;
  readonly #finalizer: Finalizer;
  readonly #reconcilers: readonly NodeClassReconciler[];

  constructor(deps: NodeClassControllerDeps) {
    const cache = new ValidationCache(deps.clock);
    this.#deps = deps;
    this.#finalizer = new Finalizer({ ...deps, cache });
    // In this order: the validation looks at what the others have found.
    this.#reconcilers = [
      new AmiReconciler(deps),
      ...(deps.reservedCapacity ? [new CapacityReservationReconciler(deps)] : []),
      new PlacementGroupReconciler(deps),
      new SubnetReconciler(deps),
      new SecurityGroupReconciler(deps),
      new InstanceProfileReconciler(deps),
      new ValidationReconciler({ ...deps, cache }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const nodeClass = this.#deps.nodeClasses.get(key);
    if (!nodeClass) return undefined;
    try {
      if (nodeClass.metadata.deletionTimestamp) return await this.#finalizer.finalize(nodeClass, signal);
      return await this.#look(await this.#kept(nodeClass, signal), signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return { requeue: true };
      const denied = denialOf(error);
      if (denied) this.#deps.recorder.publish(unauthorized(nodeClass, denied));
      throw error;
    }
  }

  /** The class as it is once it can't go without us. */
  async #kept(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<EC2NodeClass> {
    const { metadata } = nodeClass;
    if (metadata.finalizers?.includes(TERMINATION_FINALIZER)) return nodeClass;
    const finalizers = [...(metadata.finalizers ?? []), TERMINATION_FINALIZER];
    const kept = { ...nodeClass, metadata: { ...metadata, finalizers } };
    return await this.#deps.nodeClasses.patch(nodeClass, kept, { lock: true }, signal);
  }

  /** Every part is looked at, even if others fail, and the status is written once. */
  async #look(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, nodeClasses, reservedCapacity } = this.#deps;
    const draft = new NodeClassDraft(nodeClass, ec2NodeClassConditions(reservedCapacity), clock.now());
    const results: (ReconcileResult | undefined)[] = [];
    const errors: unknown[] = [];
    for (const reconciler of this.#reconcilers) {
      try {
        results.push(await reconciler.reconcile(draft, signal));
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    try {
      await nodeClasses.patchStatus(nodeClass, draft.nodeClass, { lock: true }, signal);
    } catch (error) {
      if (isConflict(error)) throw error;
      if (!isNotFound(error)) errors.push(error);
    }
    if (errors.length > 0) throw combinedError(errors);
    return soonest(...results);
  }
}
