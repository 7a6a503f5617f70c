import type {
  CustomResourceDefinition,
  DefinitionCondition,
  DefinitionNames,
  DefinitionStatus,
} from '../../../apis/crds/definition.ts';
import { goQuote } from '../../validation/go-text.ts';

/** Who has which names in one API group: the accepted names of the other definitions. */
export interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>;
}

export const takenNames = (others: readonly CustomResourceDefinition[], group: string): TakenNames => {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of others) {
    if (spec.group !== group) continue;
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) if (name !== undefined && name !== '') resources.add(name);
    for (const name of [kind, listKind]) if (name !== undefined && name !== '') kinds.add(name);
  }
  return { resources, kinds };
};

type NameField = 'plural' | 'singular' | 'kind' | 'listKind';

const CONFLICTS: Readonly<Record<NameField | 'shortNames', string>> = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  shortNames: 'ShortNamesConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
};

interface Acceptance {
  readonly names: Partial<DefinitionNames>;
  /** Reason and message of the last conflict found; undefined: none. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

const acceptNames = (requested: DefinitionNames, accepted: Partial<DefinitionNames>, taken: TakenNames): Acceptance => {
  const names: Record<string, unknown> = { ...accepted };
  let conflict: Acceptance['conflict'];
  const accept = (name: NameField, used: ReadonlySet<string>): void => {
    const wanted = requested[name] ?? '';
    if (wanted !== (accepted[name] ?? '') && used.has(wanted)) {
      conflict = { reason: CONFLICTS[name], message: `${goQuote(wanted)} is already in use` };
    } else names[name] = wanted;
  };
  accept('plural', taken.resources);
  accept('singular', taken.resources);
  const own = new Set(accepted.shortNames);
  const clashes = (requested.shortNames ?? []).filter((name) => !own.has(name) && taken.resources.has(name));
  if (clashes.length > 0) {
    const texts = clashes.map((name) => `${goQuote(name)} is already in use`);
    conflict = { reason: CONFLICTS.shortNames, message: texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '') };
  } else names.shortNames = requested.shortNames;
  accept('kind', taken.kinds);
  accept('listKind', taken.kinds);
  names.categories = requested.categories;
  return { names: Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)), conflict };
};

/** Replaces the condition of that type; the time of the change stays where the status does. */
const setCondition = (
  conditions: readonly DefinitionCondition[],
  next: DefinitionCondition,
  now: string,
): readonly DefinitionCondition[] => {
  const old = conditions.find(({ type }) => type === next.type);
  const since = old !== undefined && old.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const { type, status, reason = '', message = '' } = next;
  const set: DefinitionCondition = { type, status, lastTransitionTime: since, reason, message };
  return old === undefined
    ? [...conditions, set]
    : conditions.map((condition) => (condition === old ? set : condition));
};

/**
 * The status that the naming and establishing controllers would come to: which names are accepted, and whether the
 * resource is served. Once established, a definition stays so (apiextensions controller/{status,establish}).
 *
 * @param taken names of the other definitions of the group. @param now RFC 3339, in seconds.
 */
export const definitionStatus = (
  definition: CustomResourceDefinition,
  taken: TakenNames,
  now: string,
): DefinitionStatus => {
  const { spec, status = {} } = definition;
  const { names, conflict } = acceptNames(spec.names, status.acceptedNames ?? {}, taken);
  const accepted: DefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const before = status.conditions ?? [];
  const established = before.find(({ type }) => type === 'Established');
  const next: DefinitionCondition =
    established?.status === 'True'
      ? established
      : conflict === undefined
        ? {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          }
        : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  return {
    ...status,
    conditions: setCondition(setCondition(before, accepted, now), next, now),
    acceptedNames: names,
    storedVersions: withStorageVersion(definition),
  };
};

/** `storedVersions`, with the storage version of the spec added if it is new. */
export const withStorageVersion = ({ spec, status }: CustomResourceDefinition): readonly string[] => {
  const stored = status?.storedVersions ?? [];
  const storage = spec.versions?.find((version) => version.storage)?.name;
  return storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
};

/** Whether the resource is served. */
export const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === 'Established' && condition.status === 'True');
