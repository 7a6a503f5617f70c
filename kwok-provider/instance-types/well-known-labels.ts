import type { InstanceType } from '../../src/scheduling/instance-type.ts';
import { KWOK_WELL_KNOWN_LABELS } from '../apis/labels.ts';

/** Labels that nodes of these types get from the fake cloud, so that pods and pools may ask for them. */
export function wellKnownLabelsOf(types: readonly InstanceType[]): ReadonlySet<string> {
  const labels = new Set(KWOK_WELL_KNOWN_LABELS);
  for (const { requirements, offerings } of types) {
    for (const key of requirements.keys()) labels.add(key);
    for (const offering of offerings) for (const key of offering.requirements.keys()) labels.add(key);
  }
  return labels;
}
