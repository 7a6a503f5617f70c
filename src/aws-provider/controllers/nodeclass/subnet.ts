import type { Subnet } from '@aws-sdk/client-ec2';
import type { ReconcileResult } from '../../../kube/controller.ts';
import { SUBNETS_READY } from '../../apis/condition-types.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { SubnetProvider } from '../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

const PERIOD_MS = 60_000;

/** Finds the subnets of a class: those with most free addresses first, which is the order in which launches take them. */
export class SubnetReconciler implements NodeClassReconciler {
  readonly #subnets: Pick<SubnetProvider, 'list'>;

  constructor(deps: { readonly subnets: Pick<SubnetProvider, 'list'> }) {
    this.#subnets = deps.subnets;
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult> {
    const subnets = await this.#list(draft, signal);
    if (subnets.length === 0) {
      draft.set('subnets', undefined);
      draft.conditions.setFalse(SUBNETS_READY, 'SubnetsNotFound', 'SubnetSelector did not match any Subnets');
      return { requeueAfter: PERIOD_MS };
    }
    draft.set('subnets', subnets.toSorted(byFreeAddresses).map(subnetStatus));
    draft.conditions.setTrue(SUBNETS_READY);
    return { requeueAfter: PERIOD_MS };
  }

  async #list({ nodeClass }: NodeClassDraft, signal: AbortSignal): Promise<readonly Subnet[]> {
    try {
      return await this.#subnets.list(nodeClass, signal);
    } catch (error) {
      throw wrappedError('getting subnets', error);
    }
  }
}

function byFreeAddresses(a: Subnet, b: Subnet): number {
  const more = (b.AvailableIpAddressCount ?? 0) - (a.AvailableIpAddressCount ?? 0);
  if (more !== 0) return more;
  return (a.SubnetId ?? '') < (b.SubnetId ?? '') ? -1 : 1;
}

function subnetStatus({ SubnetId: id = '', AvailabilityZone: zone = '', AvailabilityZoneId: zoneID = '' }: Subnet) {
  return { id, zone, ...(zoneID ? { zoneID } : {}) };
}
