import {
  controllerPolicies,
  type PolicyScope,
  type PolicyStatement,
} from '../../src/aws-provider/aws-api/iam-policies.ts';
import type { Entry } from './moto/server.ts';

type Tags = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/** What makes the things that other calls name. */
const MAKERS: Readonly<Record<string, string>> = {
  TerminateInstances: 'CreateFleet',
  CreateTags: 'CreateFleet',
  RunInstances: 'CreateLaunchTemplate',
  CreateFleet: 'CreateLaunchTemplate',
  DeleteLaunchTemplate: 'CreateLaunchTemplate',
  AddRoleToInstanceProfile: 'CreateInstanceProfile',
  RemoveRoleFromInstanceProfile: 'CreateInstanceProfile',
  DeleteInstanceProfile: 'CreateInstanceProfile',
};

/**
 * The calls of a journal that the controller's own policies would not have allowed, once each. What a call asks for must
 * bear the tags of some statement; what it names, those that its maker gave.
 */
export function refusedCalls(journal: readonly Entry[], scope: PolicyScope): readonly string[] {
  const statements = controllerPolicies(scope).flatMap((policy) => policy.statements);
  const refused = journal.filter((entry) => {
    const action = `${entry.service}:${entry.action}`;
    const made = journal
      .filter(({ action: maker }) => maker === MAKERS[entry.action])
      .map(({ params }) => tagsOf(params));
    return !statements.some(
      (statement) => statement.actions.includes(action) && meets(statement, tagsOf(entry.params), made),
    );
  });
  return [...new Set(refused.map(({ service, action }) => `${service}:${action}`))];
}

function tagsOf(params: Fields): Tags {
  const specifications = (params.TagSpecifications ?? []) as readonly { readonly Tags: readonly Tag[] }[];
  const tags = [...specifications.flatMap(({ Tags }) => Tags), ...((params.Tags ?? []) as readonly Tag[])];
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

/** Conditions on other keys than tags hold: no call can be told from another by them here. */
function meets({ conditions = {} }: PolicyStatement, asked: Tags, made: readonly Tags[]): boolean {
  return Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => {
      const values = [wanted].flat();
      if (key === 'aws:TagKeys') return Object.keys(asked).every((tag) => values.includes(tag));
      const [kind, tag = ''] = split(key);
      const fits = (tags: Tags): boolean => {
        const value = tags[tag];
        if (value === undefined) return operator.endsWith('IfExists');
        return operator.startsWith('StringLike')
          ? values.includes('*') || values.includes(value)
          : values.includes(value);
      };
      if (kind === 'aws:RequestTag') return fits(asked);
      return kind === 'aws:ResourceTag' ? made.every(fits) : true;
    }),
  );
}

function split(key: string): readonly string[] {
  const at = key.indexOf('/');
  return at < 0 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}
