import type { Informers } from '../../../kube/informers.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { instanceIdOf } from '../../apis/provider-id.ts';

export const BY_INSTANCE_ID = 'instanceID';

/** Lets claims and nodes be looked up by the id of their instance. */
export function addInstanceIndex(informers: Informers): void {
  informers.for(NodeClaims).addIndex(BY_INSTANCE_ID, (claim) => instanceIds(claim.status?.providerID));
  informers.for(Nodes).addIndex(BY_INSTANCE_ID, (node) => instanceIds(node.spec.providerID));
}

/** None for machines of another provider, whose ids may look otherwise. */
function instanceIds(providerID: string | undefined): readonly string[] {
  if (!providerID) return [];
  try {
    return [instanceIdOf(providerID)];
  } catch {
    return [];
  }
}
