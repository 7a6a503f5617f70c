import { invalid } from '../api-refusals.ts';
import type { Attributes } from '../auth/attributes.ts';
import type { Rbac } from '../auth/rbac.ts';
import { asArray, asObject, asString } from '../json.ts';
import type { FieldError, JsonObject } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import type { UserInfo, WriteRequest } from '../registry/request.ts';

/** Who a bearer token belongs to; undefined for one that nobody has. */
export type TokenReader = (token: string) => UserInfo | undefined;

export interface ReviewDeps {
  readonly tokens: TokenReader;
  readonly rbac: Pick<Rbac, 'decide' | 'rulesOf'>;
  /** RFC 3339. */
  readonly now: string;
}

const userJson = (user: UserInfo): JsonObject => ({
  username: user.name,
  ...(user.uid ? { uid: user.uid } : {}),
  groups: user.groups,
  ...(user.extra ? { extra: user.extra } : {}),
});

/** Answers the reviews that are asked by creating them: who am I, whose token is this, may I. Throws ApiError 422. */
export function answerReview(request: WriteRequest, review: JsonObject, deps: ReviewDeps): JsonObject {
  switch (request.resource.kind) {
    case 'SelfSubjectReview': {
      const metadata = { ...asObject(review.metadata), creationTimestamp: deps.now };
      return { ...review, metadata, status: { userInfo: userJson(request.user) } };
    }
    case 'TokenReview':
      return { ...review, status: tokenStatus(review, deps.tokens) };
    case 'SelfSubjectRulesReview':
      return { ...review, status: rulesStatus(request, review, deps) };
    default:
      return { ...review, status: accessStatus(request, review, deps) };
  }
}

function tokenStatus(review: JsonObject, tokens: TokenReader): JsonObject {
  const user = tokens(asString(asObject(review.spec).token));
  if (!user) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userJson(user), audiences: ['https://kubernetes.default.svc'] };
}

function rulesStatus({ user }: WriteRequest, review: JsonObject, { rbac }: ReviewDeps): JsonObject {
  const all = user.groups.includes('system:masters')
    ? [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ]
    : rbac.rulesOf(user, asString(asObject(review.spec).namespace));
  return {
    resourceRules: all.filter((rule) => asArray(rule.resources).length > 0),
    nonResourceRules: all.filter((rule) => asArray(rule.nonResourceURLs).length > 0),
    incomplete: false,
  };
}

function accessStatus(request: WriteRequest, review: JsonObject, { rbac }: ReviewDeps): JsonObject {
  const spec = asObject(review.spec);
  const self = request.resource.kind === 'SelfSubjectAccessReview';
  check(review, spec, self);
  const user = self ? request.user : { name: asString(spec.user), groups: asArray(spec.groups).map(asString) };
  const { allowed, reason } = rbac.decide(user, attributesOf(spec));
  return { allowed, ...(reason ? { reason } : {}) };
}

function check(review: JsonObject, spec: JsonObject, self: boolean): void {
  const errors: FieldError[] = [];
  const complain = (field: string, message: string): void => {
    errors.push({ type: 'FieldValueInvalid', field, message });
  };
  const path = asObject(spec.nonResourceAttributes);
  if (spec.resourceAttributes !== undefined && spec.nonResourceAttributes !== undefined) {
    const shown = JSON.stringify({ Path: path.path, Verb: path.verb });
    complain(
      'spec.nonResourceAttributes',
      `Invalid value: ${shown}: cannot be specified in combination with resourceAttributes`,
    );
  }
  if (spec.resourceAttributes === undefined && spec.nonResourceAttributes === undefined) {
    complain(
      'spec.resourceAttributes',
      'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  }
  if (!self && !spec.user && asArray(spec.groups).length === 0) {
    complain('spec.user', 'Invalid value: "": at least one of user or group must be specified');
  }
  if (nameOf(review)) complain('metadata', `Invalid value: ${JSON.stringify(review.metadata)}: must be empty`);
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function attributesOf(spec: JsonObject): Attributes {
  if (spec.nonResourceAttributes !== undefined) {
    const { path, verb } = asObject(spec.nonResourceAttributes);
    return { type: 'path', path: asString(path), verb: asString(verb) };
  }
  const { verb, group, resource, subresource, namespace, name } = asObject(spec.resourceAttributes);
  return {
    type: 'resource',
    verb: asString(verb),
    group: asString(group),
    plural: asString(resource),
    subresource: asString(subresource),
    namespace: asString(namespace),
    name: asString(name),
  };
}
