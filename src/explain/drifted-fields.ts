import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { claimFacts } from '../scheduling/pool-drift.ts';
import { Requirements } from '../scheduling/requirements.ts';
import { type FieldChange, fieldChanges, keyless, printField } from './field-change.ts';

/** Fields of the template that its hash covers and that a claim keeps a copy of. */
const COPIED = ['taints', 'startupTaints', 'nodeClassRef', 'terminationGracePeriod', 'expireAfter'] as const;

/**
 * Fields of the pool's template that are not as they were when the claim was made of it: `from` is the claim's value, `to`
 * the pool's. A label or annotation that the template has lost can't be told from one that the claim got elsewhere.
 */
export function templateDrift(nodePool: NodePool, nodeClaim: NodeClaim): readonly FieldChange[] {
  const { metadata = {}, spec } = nodePool.spec.template;
  const kept = (own: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => key in wanted));
  const { labels, annotations } = nodeClaim.metadata;
  const at = 'spec.template';
  return [
    ...fieldChanges(kept(labels, metadata.labels), metadata.labels ?? {}, `${at}.metadata.labels`),
    ...fieldChanges(kept(annotations, metadata.annotations), metadata.annotations ?? {}, `${at}.metadata.annotations`),
    ...COPIED.flatMap((name) => fieldChanges(own(nodeClaim.spec[name]), own(spec[name]), `${at}.spec.${name}`)),
  ];
}

/** An empty list says the same as none. */
const own = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? undefined : value);

/**
 * Requirements of the pool that the claim doesn't meet: `from` is the label's value, `to` the requirement. `types` are what
 * the pool can buy.
 */
export function requirementDrift(
  nodePool: NodePool,
  nodeClaim: NodeClaim,
  types: readonly InstanceType[] = [],
): readonly FieldChange[] {
  const facts = claimFacts(nodeClaim, types);
  const byKey = Map.groupBy(nodePool.spec.template.spec.requirements, ({ key }) => key);
  return [...byKey].flatMap(([key, items]) => {
    if (facts.compatible(Requirements.fromItems(items))) return [];
    const to = items.map((item) => printField(keyless(item))).join(' and ');
    return [
      { field: `spec.template.spec.requirements[${key}]`, from: ownValue(nodeClaim.metadata.labels, key) ?? null, to },
    ];
  });
}
