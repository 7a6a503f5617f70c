import type { Logger } from '../../../logging/logger.ts';
import type { AMISelectorTerm, EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { type Alias, aliasOf } from '../../apis/ec2-node-class-facts.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { isDenied } from '../../aws-api/permissions.ts';
import { tagFilters } from '../../aws-api/tags.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { SsmProvider, VersionProvider } from '../contracts.ts';
import { familyOf } from './families.ts';
import type { ImageQuery } from './image-query.ts';
import { requireSupportedAlias } from './unsupported-alias-error.ts';
import type { ImageRequirements } from './variants.ts';

export interface ImageQueriesDeps {
  readonly version: Pick<VersionProvider, 'get'>;
  readonly ssm: Pick<SsmProvider, 'get'>;
  readonly log: Logger;
}

const NO_VARIANTS: ReadonlyMap<string, readonly ImageRequirements[]> = new Map();
/** Whose images a name finds: those that anybody shares would let a stranger's in. */
const TRUSTED_OWNERS = ['self', 'amazon'];

/**
 * What to ask EC2 for a class's images (aws-provider.md section 9).
 *
 * @throws UnsupportedAliasError, and when none of an alias's images has a name.
 */
export async function imageQueries(
  deps: ImageQueriesDeps,
  nodeClass: EC2NodeClass,
  signal?: AbortSignal,
): Promise<readonly ImageQuery[]> {
  const alias = aliasOf(nodeClass);
  if (alias) return [await aliasQuery(deps, alias, signal)];
  const ids: string[] = [];
  const queries: ImageQuery[] = [];
  for (const term of nodeClass.spec.amiSelectorTerms) {
    if (term.id) ids.push(term.id);
    else if (term.ssmParameter) ids.push(...(await idOfParameter(deps, term.ssmParameter, signal)));
    else queries.push(termQuery(term));
  }
  if (ids.length > 0) queries.push(idQuery(ids));
  return queries;
}

const idQuery = (ids: readonly string[], variants = NO_VARIANTS): ImageQuery => ({
  filters: [{ Name: 'image-id', Values: [...ids] }],
  owners: [],
  variants,
});

async function aliasQuery({ version, ssm }: ImageQueriesDeps, alias: Alias, signal?: AbortSignal): Promise<ImageQuery> {
  const kubernetes = version.get();
  requireSupportedAlias(alias.family, kubernetes);
  const parameters = familyOf(alias.family).aliasParameters(kubernetes, alias.version);
  // Not every image is published everywhere, nor may be looked up. What can't be told now must not be left out: nodes of that
  // image would drift.
  const missing: unknown[] = [];
  const ids = await Promise.all(
    parameters.map(({ name, isMutable }) =>
      ssm.get({ name, isMutable }, signal).catch((error: unknown) => {
        if (!isAwsNotFound(error) && !isDenied(error)) throw error;
        missing.push(error);
        return undefined;
      }),
    ),
  );
  const variants = new Map<string, readonly ImageRequirements[]>();
  for (const [at, id] of ids.entries()) {
    if (id) variants.set(id, [...(variants.get(id) ?? []), ...(parameters[at]?.variants ?? [])]);
  }
  if (variants.size === 0) {
    const name = `${alias.family.toLowerCase()}@${alias.version}`;
    const what = `failed to discover any AMIs for alias (alias=${name})`;
    const denied = missing.find(isDenied);
    throw denied ? wrappedError(what, denied) : new Error(what);
  }
  return idQuery([...variants.keys()], variants);
}

/** None when there is no such parameter, or when it names no image. */
async function idOfParameter(
  { ssm, log }: ImageQueriesDeps,
  ssmParameter: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const id = await ssm.get({ name: ssmParameter, isMutable: false, isCustom: true }, signal);
    if (id.startsWith('ami-')) return [id];
    const problem = new Error('an AMI ID begins with ami-');
    log.error('parameter value is an invalid AMI ID', problem, { ssmParameter, id });
  } catch (error) {
    if (!isAwsNotFound(error)) {
      throw wrappedError('resolving ssm parameter', error);
    }
    log.error('parameter not found', error, { ssmParameter });
  }
  return [];
}

function termQuery({ name, owner, tags }: AMISelectorTerm): ImageQuery {
  const filters = [...(name ? [{ Name: 'name', Values: [name] }] : []), ...tagFilters(tags ?? {})];
  const owners = owner ? [owner] : name ? TRUSTED_OWNERS : [];
  return { filters, owners, variants: NO_VARIANTS };
}
