import { combinedError } from '../../../controllers/combined-error.ts';
import type { ControllerSpec } from '../../../kube/controller.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { InstanceTypeProvider } from '../../providers/contracts.ts';

type Deps = {
  readonly instanceTypes: Pick<InstanceTypeProvider, 'updateInstanceTypes' | 'updateInstanceTypeOfferings'>;
};

const PERIOD_MS = 12 * 3_600_000;

/** Keeps up to date what EC2 sells, and where (aws-provider.md section 21); what fails is tried again with back-off. */
export class InstanceTypeController implements ControllerSpec {
  readonly name = 'providers.instancetype';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #instanceTypes: Deps['instanceTypes'];

  constructor({ instanceTypes }: Deps) {
    this.#instanceTypes = instanceTypes;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const outcomes = await Promise.allSettled([
      this.#instanceTypes.updateInstanceTypes(signal),
      this.#instanceTypes.updateInstanceTypeOfferings(signal),
    ]);
    const error = combinedError(outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason as unknown] : [])));
    if (error !== undefined) throw wrappedError('updating instancetype', error);
    return { requeueAfter: PERIOD_MS };
  }
}
