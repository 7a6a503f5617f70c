import type { SecurityGroup } from '@aws-sdk/client-ec2';
import type { ReconcileResult } from '../../../kube/controller.ts';
import { SECURITY_GROUPS_READY } from '../../apis/condition-types.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { SecurityGroupProvider } from '../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

const FOUND_MS = 5 * 60_000;
const MISSED_MS = 60_000;

/** Finds the security groups of a class. */
export class SecurityGroupReconciler implements NodeClassReconciler {
  readonly #securityGroups: SecurityGroupProvider;

  constructor(deps: { readonly securityGroups: SecurityGroupProvider }) {
    this.#securityGroups = deps.securityGroups;
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult> {
    const groups = await this.#list(draft, signal);
    if (groups.length === 0) {
      draft.set('securityGroups', undefined);
      const message = 'SecurityGroupSelector did not match any SecurityGroups';
      draft.conditions.setFalse(SECURITY_GROUPS_READY, 'SecurityGroupsNotFound', message);
      return { requeueAfter: MISSED_MS };
    }
    draft.set('securityGroups', groups.toSorted(byId).map(securityGroupStatus));
    draft.conditions.setTrue(SECURITY_GROUPS_READY);
    return { requeueAfter: FOUND_MS };
  }

  async #list({ nodeClass }: NodeClassDraft, signal: AbortSignal): Promise<readonly SecurityGroup[]> {
    try {
      return await this.#securityGroups.list(nodeClass, signal);
    } catch (error) {
      throw wrappedError('getting security groups', error);
    }
  }
}

const byId = ({ GroupId: a = '' }: SecurityGroup, b: SecurityGroup): number => (a < (b.GroupId ?? '') ? -1 : 1);

function securityGroupStatus({ GroupId: id = '', GroupName: name = '' }: SecurityGroup) {
  return { id, ...(name ? { name } : {}) };
}
