import type { AccessRule } from '../kube/access-rule.ts';
import type { Client, Resource } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';
import type { KubeObject } from '../kube/objects.ts';
import { type Finding, fail, pass } from './finding.ts';

/** Rules, and the namespace in which they are needed; in the whole cluster without one. */
export interface NeededRights {
  readonly rules: readonly AccessRule[];
  readonly namespace?: string;
}

export interface RightsInput {
  readonly client: Pick<Client, 'create'>;
  readonly needed: readonly NeededRights[];
  /** Commands that give the rights. */
  readonly fix: readonly string[];
}

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> };
  readonly status?: { readonly allowed: boolean };
}

interface SelfReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const SelfSubjectAccessReviews: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
};
const SelfSubjectReviews: Resource<SelfReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};

const CHECK = 'rights';
/** Questions under way at once, so that a busy API does not turn others away. */
const AT_ONCE = 16;
const EVERYTHING = { verb: '*', group: '*', resource: '*' };

interface Question {
  readonly rule: AccessRule;
  /** As `kubectl auth can-i` takes it: `patch nodeclaims.karpenter.sh/status`. */
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Which rights that the controller needs the user of this connection does not have. */
export async function rightsFindings(input: RightsInput, signal: AbortSignal): Promise<readonly Finding[]> {
  const { client, needed, fix } = input;
  const allowed = async (attributes: Readonly<Record<string, string>>): Promise<boolean> => {
    const review = { ...named(SelfSubjectAccessReviews), spec: { resourceAttributes: attributes } };
    return (await client.create(SelfSubjectAccessReviews, review, {}, signal)).status?.allowed ?? false;
  };
  const [user, isAdmin] = await Promise.all([userName(client, signal), allowed(EVERYTHING)]);
  const who = user === undefined ? 'this user' : `"${user}"`;
  if (isAdmin) return [pass(CHECK, `${who} may do everything`)];
  const questions = needed.flatMap(questionsOf);
  const missing: Question[] = [];
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    const some = questions.slice(at, at + AT_ONCE);
    const answers = await Promise.all(some.map(({ attributes }) => allowed(attributes)));
    missing.push(...some.filter((_, i) => !answers[i]));
  }
  if (missing.length === 0)
    return [pass(CHECK, `${who} may do all that the controller does (${questions.length} rights)`)];
  const byRule = Map.groupBy(missing, ({ rule }) => rule);
  const details = [...byRule].map(([{ why }, own]) => `${own.map(({ text }) => text).join(', ')}: ${why}`);
  const message = `${who} lacks ${missing.length} of the ${questions.length} rights that the controller needs`;
  return [fail(CHECK, message, { details, fix })];
}

/** Who the API takes us for; undefined where it does not tell. */
async function userName(client: Pick<Client, 'create'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.create(SelfSubjectReviews, named(SelfSubjectReviews), {}, signal)).status?.userInfo?.username;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const named = ({ group, version, kind }: Resource) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name: '' },
});

function questionsOf({ rules, namespace }: NeededRights): readonly Question[] {
  return rules.flatMap((rule) =>
    rule.uncalled
      ? []
      : rule.resources.flatMap((whole) =>
          rule.verbs.map((verb): Question => {
            const [resource = '', subresource] = whole.split('/');
            const { group, names = [] } = rule;
            return {
              rule,
              text: `${verb} ${resource}${group === '' ? '' : `.${group}`}${subresource ? `/${subresource}` : ''}`,
              attributes: {
                verb,
                group,
                resource,
                ...(subresource ? { subresource } : {}),
                ...(names[0] === undefined ? {} : { name: names[0] }),
                ...(namespace === undefined ? {} : { namespace }),
              },
            };
          }),
        ),
  );
}
