import { asObject, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import type { Store } from '../../store/store.ts';

export interface BoundPolicy {
  readonly policy: JsonObject;
  readonly bindings: readonly JsonObject[];
}

/** Policies that something binds, with their bindings, both by name. A policy without a binding does nothing. */
export const boundPolicies = (store: Store, prefix: 'mutating' | 'validating'): readonly BoundPolicy[] => {
  const group = 'admissionregistration.k8s.io';
  const bindings = store.list(`${group}/${prefix}admissionpolicybindings`).map(([, binding]) => binding);
  const byPolicy = Map.groupBy(bindings, (binding) => asString(asObject(binding.spec).policyName));
  return store.list(`${group}/${prefix}admissionpolicies`).flatMap(([name, policy]) => {
    const bound = byPolicy.get(name);
    return bound === undefined ? [] : [{ policy, bindings: bound }];
  });
};
