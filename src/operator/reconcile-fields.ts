import { CapacityBuffers, NodeClaims, NodePools, Nodes } from '../kube/resources.ts';
import type { LogFields } from '../logging/logger.ts';

/** Kinds that controllers reconcile, by the beginning of their names. */
const KINDS = [
  ['nodeclaim.garbagecollection', undefined],
  ['nodeclaim.podevents', undefined],
  ['nodeclaim.', NodeClaims],
  ['nodepool.', NodePools],
  ['static.', NodePools],
  ['node.', Nodes],
  ['capacitybuffer', CapacityBuffers],
] as const;

/** The key of controllers that follow no object. */
const LOOP = 'all';

/** What upstream's log lines say of the reconciliation that they were written in. */
export function reconcileFields(controller: string, key: string): LogFields {
  const resource = KINDS.find(([prefix]) => controller.startsWith(prefix))?.[1];
  const slash = key.indexOf('/');
  const namespace = slash < 0 ? '' : key.slice(0, slash);
  const name = key === LOOP ? '' : key.slice(slash + 1);
  const object = namespace === '' ? { name } : { name, namespace };
  return {
    controller,
    ...(resource ? { controllerGroup: resource.group, controllerKind: resource.kind, [resource.kind]: object } : {}),
    namespace,
    name,
  };
}
