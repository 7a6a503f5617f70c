import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';

/**
 * What a node with these labels costs an hour: the price of its instance type's offering in its zone and capacity type,
 * available or not. Undefined when type or offering are not in the list.
 */
export function nodePrice(
  labels: Readonly<Record<string, string>> = {},
  types: readonly InstanceType[],
): number | undefined {
  const type = types.find(({ name }) => name === labels[LABEL_INSTANCE_TYPE]);
  const offering = type?.offerings.find(({ requirements }) =>
    [LABEL_ZONE, LABEL_CAPACITY_TYPE].every((key) => requirements.get(key).has(labels[key] ?? '')),
  );
  return offering?.price;
}
