import { NODE_CLAIM_CONDITIONS, NODE_POOL_CONDITIONS } from '../../apis/condition-types.ts';
import { type Conditioned, ConditionSet, type ConditionTypes } from '../../apis/conditions.ts';
import { LABEL_INITIALIZED, LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { ControllerSpec } from '../../kube/controller.ts';
import type { Condition } from '../../kube/objects.ts';
import { CapacityBuffers, NodeClaims, NodePools, Nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { nodeClassLabels } from '../metrics/node-labels.ts';
import { StatusController } from './status-controller.ts';

/** The conditions that are there: of kinds that are not Karpenter's, others are not missed. */
const present = ({ status }: Conditioned): readonly Condition[] => status?.conditions ?? [];

/** One controller for each kind whose conditions are measured (karpenter-core.md 9.8). */
export function statusControllers(
  context: ControllerContext,
  { capacityBuffers }: { readonly capacityBuffers: boolean },
): readonly ControllerSpec[] {
  const all = (types: ConditionTypes) => (object: Conditioned) =>
    new ConditionSet(object, types, context.clock.now()).conditions;
  const nodeClasses = nodeClassLabels(context.cloud);
  return [
    new StatusController(context, {
      kind: 'nodeclaim',
      resource: NodeClaims,
      conditionsOf: all(NODE_CLAIM_CONDITIONS),
      labels: [...nodeClasses, LABEL_NODEPOOL],
      deprecated: true,
    }),
    new StatusController(context, {
      kind: 'nodepool',
      resource: NodePools,
      conditionsOf: all(NODE_POOL_CONDITIONS),
      labels: [],
      deprecated: true,
    }),
    new StatusController(context, {
      kind: 'node',
      resource: Nodes,
      conditionsOf: present,
      labels: [...nodeClasses, LABEL_NODEPOOL, LABEL_INITIALIZED],
      deprecated: false,
    }),
    ...(capacityBuffers
      ? [
          new StatusController(context, {
            kind: 'capacitybuffer',
            resource: CapacityBuffers,
            conditionsOf: present,
            labels: [],
            deprecated: true,
          }),
        ]
      : []),
  ];
}
