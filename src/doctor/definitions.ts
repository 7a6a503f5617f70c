import type { CustomResourceDefinition, DefinitionVersion } from '../apis/crds/definition.ts';
import type { JsonSchema } from '../apis/crds/json-schema.ts';
import type { Client } from '../kube/client.ts';
import { ApiError, isNotFound } from '../kube/errors.ts';
import { CustomResourceDefinitions } from '../kube/resources.ts';
import { type Finding, fail, pass, skipped, warn } from './finding.ts';

export interface DefinitionsInput {
  readonly client: Pick<Client, 'get'>;
  /** Those that the controller needs. */
  readonly wanted: readonly CustomResourceDefinition[];
  /** The version of Karpenter that they are of. */
  readonly version: string;
  /** Commands that install them. */
  readonly fix: readonly string[];
}

const CHECK = 'definitions';
/** Fields named in one line. */
const NAMED = 5;

/** Whether the cluster has the custom resource definitions, and whether they have the fields of this version. */
export async function definitionFindings(input: DefinitionsInput, signal: AbortSignal): Promise<readonly Finding[]> {
  const { wanted, version } = input;
  const found = await Promise.all(wanted.map((definition) => findingOf(definition, input, signal)));
  const problems = found.filter((finding) => typeof finding === 'object');
  const named = (what: 'good' | 'forbidden') =>
    wanted
      .filter((_, i) => found[i] === what)
      .map(nameOf)
      .join(', ');
  const [good, forbidden] = [named('good'), named('forbidden')];
  return [
    ...(good === '' ? [] : [pass(CHECK, `as of Karpenter ${version}: ${good}`)]),
    ...(forbidden === '' ? [] : [skipped(CHECK, `you may not read them, so their version is not known: ${forbidden}`)]),
    ...problems,
  ];
}

const nameOf = ({ metadata }: CustomResourceDefinition): string => metadata.name;

async function findingOf(
  wanted: CustomResourceDefinition,
  { client, version, fix }: DefinitionsInput,
  signal: AbortSignal,
): Promise<Finding | 'good' | 'forbidden'> {
  const { name } = wanted.metadata;
  const installed = await read(client, name, signal);
  if (installed === 'missing') return fail(CHECK, `${name} is not installed`, { fix });
  if (installed === 'forbidden') return installed;
  const problems = wanted.spec.versions.flatMap((version) => servedVersion(version, installed));
  if (problems.length > 0) return fail(CHECK, `${name} ${problems.join(', ')}`, { fix });
  const { lacking, surplus } = compare(wanted, installed);
  if (lacking.length > 0) {
    return warn(CHECK, `${name} is older than ${version}: it lacks ${some(lacking)}`, { fix });
  }
  if (surplus.length > 0) {
    const message = `${name} is newer than ${version}: it has ${some(surplus)}, which this controller does not know`;
    return warn(CHECK, message, { fix });
  }
  return 'good';
}

async function read(
  client: Pick<Client, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | 'missing' | 'forbidden'> {
  try {
    return (await client.get(CustomResourceDefinitions, { name }, signal)) as unknown as CustomResourceDefinition;
  } catch (error) {
    if (isNotFound(error)) return 'missing';
    if (error instanceof ApiError && error.code === 403) return 'forbidden';
    throw error;
  }
}

function servedVersion({ name }: DefinitionVersion, { spec, status }: CustomResourceDefinition): readonly string[] {
  const installed = spec.versions.find((version) => version.name === name);
  if (!installed?.served) return [`does not serve ${name}`];
  const established = status?.conditions?.find(({ type }) => type === 'Established');
  return established && established.status !== 'True' ? [`is not established: ${established.message ?? ''}`] : [];
}

function compare(wanted: CustomResourceDefinition, installed: CustomResourceDefinition) {
  const lacking: string[] = [];
  const surplus: string[] = [];
  for (const { name, schema } of wanted.spec.versions) {
    const ours = new Set(fieldsOf(schema?.openAPIV3Schema));
    const open = openPaths(schema?.openAPIV3Schema);
    const other = installed.spec.versions.find((version) => version.name === name)?.schema?.openAPIV3Schema;
    const theirs = new Set(fieldsOf(other));
    lacking.push(...ours.difference(theirs));
    surplus.push(...[...theirs.difference(ours)].filter((path) => !isBelow(path, open)));
  }
  return { lacking: outermost(lacking), surplus: outermost(surplus) };
}

/** Paths of all fields: `spec.template.spec.taints[].key`. */
function* fieldsOf(schema: JsonSchema | undefined, at = ''): Generator<string> {
  if (!schema) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // What every object has is not told by all who write definitions.
    if (at === '' && name !== 'spec' && name !== 'status') continue;
    const path = at === '' ? name : `${at}.${name}`;
    yield path;
    yield* fieldsOf(property, path);
  }
  if (schema.items) yield* fieldsOf(schema.items, `${at}[]`);
}

/** Where any field may be, so that none is unknown. */
function openPaths(schema: JsonSchema | undefined, at = ''): readonly string[] {
  if (!schema) return [];
  const { properties = {}, items } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties;
  const inner = Object.entries(properties).flatMap(([name, property]) =>
    openPaths(property, at === '' ? name : `${at}.${name}`),
  );
  return [...(isOpen ? [at] : []), ...inner, ...openPaths(items, `${at}[]`)];
}

const isBelow = (path: string, others: readonly string[]): boolean =>
  others.some((other) => path.startsWith(`${other}.`) || path.startsWith(`${other}[]`));

/** Without the fields of a field that is there itself. */
const outermost = (paths: readonly string[]): readonly string[] => paths.filter((path) => !isBelow(path, paths));

const some = (paths: readonly string[]): string =>
  paths.length > NAMED ? `${paths.slice(0, NAMED).join(', ')} and ${paths.length - NAMED} more` : paths.join(', ');
