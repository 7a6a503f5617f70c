import type { ControllerContext } from '../../../../controllers/context.ts';
import { inParallel } from '../../../../controllers/in-parallel.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../../kube/controller.ts';
import { NodeClaims, Nodes } from '../../../../kube/resources.ts';
import { isUnauthorizedOperation } from '../../../aws-api/error-kinds.ts';
import { wrappedError } from '../../../aws-api/wrapped-error.ts';
import type {
  InstanceStatusProvider,
  StatusCategory,
  UnhealthyInstance,
} from '../../../providers/instance-status/instance-status-provider.ts';
import type { InterruptionHandler } from '../interruption-handler.ts';
import type { MessageKind } from '../message.ts';

export interface InstanceStatusDeps extends Pick<ControllerContext, 'metrics' | 'log'> {
  readonly instanceStatus: Pick<InstanceStatusProvider, 'list'>;
  readonly handler: Pick<InterruptionHandler, 'handle'>;
}

const PERIOD_MS = 60_000;
const PARALLEL = 10;

const KINDS: Readonly<Record<StatusCategory, MessageKind>> = {
  InstanceStatus: 'instance_status',
  SystemStatus: 'system_status',
  EventStatus: 'event_status',
};

/** Lets claims go whose instances fail EC2's checks (aws-provider.md section 25). */
export class InstanceStatusController implements ControllerSpec {
  readonly name = 'interruption.instancestatus';
  readonly watches = [reads(NodeClaims), reads(Nodes)];
  readonly initialKeys = ['all'];
  readonly #deps: InstanceStatusDeps;
  /** Instances and categories that were counted and have not recovered. */
  #counted: ReadonlySet<string> = new Set();

  constructor(deps: InstanceStatusDeps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const unhealthy = await this.#list(signal);
    if (!unhealthy) return undefined;
    const found = new Set<string>();
    try {
      await inParallel(PARALLEL, unhealthy, (instance) => this.#handle(instance, found, signal));
    } finally {
      this.#counted = found;
    }
    return { requeueAfter: PERIOD_MS };
  }

  /** Undefined without permission, which nobody gets while the controller runs. */
  async #list(signal: AbortSignal): Promise<readonly UnhealthyInstance[] | undefined> {
    const { instanceStatus, log } = this.#deps;
    try {
      return await instanceStatus.list(signal);
    } catch (error) {
      if (!isUnauthorizedOperation(error)) throw wrappedError('getting instance statuses', error);
      log.error(
        'ec2:DescribeInstanceStatus permission is not allowed, update the IAM policy and restart the Karpenter deployment to enable instance status health checks',
        error,
      );
      return undefined;
    }
  }

  async #handle({ id, categories }: UnhealthyInstance, found: Set<string>, signal: AbortSignal): Promise<void> {
    for (const category of categories) {
      try {
        const isOurs = await this.#deps.handler.handle({ kind: KINDS[category], instanceIDs: [id] }, signal);
        if (isOurs) this.#count(id, category, found);
      } catch (error) {
        throw wrappedError('handling instance status check message', error);
      }
    }
  }

  #count(id: string, category: StatusCategory, found: Set<string>): void {
    const { metrics, log } = this.#deps;
    const key = `${id}/${category}`;
    found.add(key);
    if (this.#counted.has(key)) return;
    log.info('detected unhealthy instance owned by cluster', { instanceID: id, category });
    metrics.count('interruption_instance_status_unhealthy_total', { category });
  }
}
