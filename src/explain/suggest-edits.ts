/** Edits that answer one failed rule; whether they help is for the packer to say. */
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit } from './edit-context.ts';
import { relabel, relabelAny } from './relabel-edits.ts';
import { raiseLimits, shrink } from './resize-edits.ts';
import { tolerate } from './tolerate-edits.ts';

/** Alternatives, the smallest first; empty when no edit of pod or pool comes to mind. */
export function suggestEdits(reason: Reason, context: EditContext): readonly Edit[] {
  switch (reason.code) {
    case 'TaintNotTolerated':
      return tolerate(reason, context);
    case 'RequirementsIncompatible':
    case 'UnknownLabelValue':
      return relabel(reason, context);
    case 'InsufficientResources':
    case 'NoInstanceType':
    case 'NoOffering':
      return [...relabelAny(context), ...raiseLimits(context), ...shrink(context)];
    case 'NodePoolLimit':
      return raiseLimits(context, reason.subject);
    case 'TopologySpread':
      return softenSpread(context);
    default:
      return [];
  }
}

function softenSpread(context: EditContext): Edit[] {
  const constraints = context.pod.spec.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint, i) =>
    constraint.whenUnsatisfiable === 'DoNotSchedule'
      ? [
          podEdit(
            context,
            `spec.topologySpreadConstraints[${i}].whenUnsatisfiable`,
            'DoNotSchedule',
            'ScheduleAnyway',
            (pod) => ({
              ...pod,
              spec: {
                ...pod.spec,
                topologySpreadConstraints: constraints.with(i, { ...constraint, whenUnsatisfiable: 'ScheduleAnyway' }),
              },
            }),
          ),
        ]
      : [],
  );
}
