/** Edits for when everything that fits is sold out: another zone or capacity type. */
import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { Edit } from './edit.ts';
import type { EditContext } from './edit-context.ts';
import { reselect, widenPool } from './relabel-edits.ts';

export function otherMarket(context: EditContext): Edit[] {
  return [LABEL_CAPACITY_TYPE, LABEL_ZONE].flatMap((key) => {
    const available = onSale(key, context);
    const selected = context.pod.spec.nodeSelector?.[key];
    const own = context.pool.spec.template.spec.requirements.find((r) => r.key === key && r.operator === 'In');
    const missing = own ? available.filter((value) => !own.values?.includes(value)) : [];
    if (selected !== undefined) return available.filter((v) => v !== selected).map((v) => reselect(key, v, context));
    return missing.flatMap((value) => widenPool(key, [value], context));
  });
}

/** Values of the key for which anything at all is on sale. */
function onSale(key: string, { instanceTypes }: EditContext): readonly string[] {
  const offerings = instanceTypes.flatMap((type) => type.offerings.filter(({ available }) => available));
  return [...new Set(offerings.flatMap(({ requirements }) => [...(requirements.find(key)?.values ?? [])]))].sort();
}
