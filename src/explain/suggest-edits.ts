/** Edits that answer one failed rule; whether they help is for the packer to say. */
import type { Reason } from '../scheduling/types.ts';
import { preferAffinity } from './affinity-edits.ts';
import type { Edit } from './edit.ts';
import type { EditContext } from './edit-context.ts';
import { otherMarket } from './market-edits.ts';
import { lowerMinValues } from './min-values-edits.ts';
import { dropHostPort } from './port-edits.ts';
import { followVolume, relabel, relabelAny } from './relabel-edits.ts';
import { raiseLimits, shrink } from './resize-edits.ts';
import { loosenSpread } from './spread-edits.ts';
import { tolerate } from './tolerate-edits.ts';

/** Alternatives, the smallest first; empty when no edit of pod or pool comes to mind. */
export function suggestEdits(reason: Reason, context: EditContext): readonly Edit[] {
  switch (reason.code) {
    case 'TaintNotTolerated':
      return tolerate(reason, context);
    case 'RequirementsIncompatible':
    case 'UnknownLabelValue':
      return relabel(reason, context);
    case 'VolumeTopology':
      return followVolume(reason, context);
    case 'InsufficientResources':
    case 'NoInstanceType':
      return [...relabelAny(context), ...shrink(context)];
    case 'NoOffering':
      return [...otherMarket(context), ...relabelAny(context)];
    case 'NodePoolLimit':
      return [...raiseLimits(reason, context), ...shrink(context)];
    case 'MinValues':
      return lowerMinValues(context);
    case 'HostPortConflict':
      return dropHostPort(reason, context);
    case 'TopologySpread':
      return loosenSpread(reason, context);
    case 'PodAffinity':
    case 'PodAntiAffinity':
      return preferAffinity(reason, context);
    default:
      return [];
  }
}
