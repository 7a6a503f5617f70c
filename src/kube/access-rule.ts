import type { Resource } from './client.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** Something that a program is allowed to do, with the reason beside it. */
export interface AccessRule {
  /** Empty for the core group. */
  readonly group: string;
  /** Plurals, with the subresource after a slash: `nodes`, `pods/eviction`. */
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
  /** Only objects of these names; absent means any. */
  readonly names?: readonly string[];
  /** What goes wrong without it. */
  readonly why: string;
  /** No request of ours needs it; `why` says what does. */
  readonly uncalled?: true;
}

/** One request to the API, as the authorizer sees it. */
export interface AccessRequest {
  readonly verb: Verb;
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly subresource?: string | undefined;
  /** Empty for lists, watches and creations. */
  readonly name?: string | undefined;
}

/** Whether a rule allows a request, as Kubernetes' RBAC authorizer decides it. */
export function allows(rule: AccessRule, { verb, resource, subresource, name }: AccessRequest): boolean {
  const whole = subresource ? `${resource.plural}/${subresource}` : resource.plural;
  return (
    rule.group === resource.group &&
    rule.resources.includes(whole) &&
    rule.verbs.includes(verb) &&
    (rule.names === undefined || (name !== undefined && rule.names.includes(name)))
  );
}
