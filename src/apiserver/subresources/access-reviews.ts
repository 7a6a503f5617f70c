import { asArray, asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { UserInfo, WriteRequest } from '../registry/request.ts';

export interface ReviewedToken {
  readonly user?: UserInfo;
}

/** Who a bearer token belongs to; undefined for one that nobody has. */
export type TokenReader = (token: string) => UserInfo | undefined;

const userJson = (user: UserInfo): JsonObject => ({
  username: user.name,
  ...(user.uid ? { uid: user.uid } : {}),
  groups: user.groups,
  ...(user.extra ? { extra: user.extra } : {}),
});

/**
 * Answers the reviews that are asked by creating them: who am I, whose token is this, may I. Everybody who is
 * authenticated may do everything.
 */
export function answerReview(request: WriteRequest, review: JsonObject, tokens: TokenReader, now: string): JsonObject {
  const metadata = { ...asObject(review.metadata), creationTimestamp: null };
  switch (request.resource.kind) {
    case 'SelfSubjectReview':
      return {
        ...review,
        metadata: { ...metadata, creationTimestamp: now },
        status: { userInfo: userJson(request.user) },
      };
    case 'TokenReview':
      return { ...review, metadata, status: tokenStatus(review, tokens) };
    case 'SelfSubjectRulesReview':
      return { ...review, metadata, status: everything };
    default: {
      const spec = asObject(review.spec);
      const groups = asArray(spec.groups).map(asString);
      const known =
        request.resource.kind === 'SelfSubjectAccessReview' || groups.includes('system:masters') || spec.user;
      return { ...review, metadata, status: known ? { allowed: true } : { allowed: false } };
    }
  }
}

const everything: JsonObject = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

function tokenStatus(review: JsonObject, tokens: TokenReader): JsonObject {
  const user = tokens(asString(asObject(review.spec).token));
  if (!user) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userJson(user), audiences: ['https://kubernetes.default.svc'] };
}
