import type { InstanceProfile, Role } from '@aws-sdk/client-iam';
import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import type { Clock } from '../../kube/clock.ts';
import { SILENT } from '../../logging/logger.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { AwsApis } from '../aws-api/apis.ts';
import { isAwsNotFound } from '../aws-api/error-kinds.ts';
import { isDenied } from '../aws-api/permissions.ts';
import { tagsOf } from '../aws-api/tags.ts';
import type { AwsOptions } from '../aws-options.ts';
import { DefaultAmiProvider } from '../providers/ami-family/ami-provider.ts';
import type { Ami } from '../providers/contracts.ts';
import { roleName } from '../providers/instance-profile/role-name.ts';
import { SecurityGroups } from '../providers/security-group/security-group-provider.ts';
import { DefaultSsmProvider } from '../providers/ssm/ssm-provider.ts';
import { DefaultSubnetProvider } from '../providers/subnet/subnet-provider.ts';
import { errorSummary } from './outcome.ts';

export interface LookupDeps {
  readonly apis: AwsApis;
  readonly clock: Clock;
  readonly options: AwsOptions;
  /** `major.minor`. */
  readonly kubernetesVersion: string;
}

/** What was found in the account, and what is to be said of it. */
export interface Lookup<T> {
  readonly found: readonly T[];
  readonly findings: readonly Finding[];
}

type TagList = readonly { readonly Key?: string; readonly Value?: string }[] | undefined;
type Term = { readonly tags?: Readonly<Record<string, string>> };

interface Selection<T> {
  readonly check: string;
  readonly terms: readonly Term[];
  /** Of one term. */
  readonly list: (term: Term) => Promise<readonly T[]>;
  readonly id: (found: T) => string;
  /** Where values of a tag are worth showing to whom has misspelt one. */
  readonly tags?: (found: T) => TagList;
  readonly good: (found: readonly T[]) => Finding;
}

/** The subnets of a class. */
export function subnetsOf(nodeClass: EC2NodeClass, { apis, ...deps }: LookupDeps, signal: AbortSignal) {
  const provider = new DefaultSubnetProvider({ ...deps, ec2: apis.ec2, log: SILENT });
  return select({
    check: 'subnets',
    terms: nodeClass.spec.subnetSelectorTerms,
    list: (term) => provider.list(only(nodeClass, { subnetSelectorTerms: [term] }), signal),
    id: ({ SubnetId = '' }) => SubnetId,
    tags: ({ Tags }) => Tags,
    good: (subnets) => {
      const free = subnets.reduce((sum, { AvailableIpAddressCount = 0 }) => sum + AvailableIpAddressCount, 0);
      const zones = [...new Set(subnets.map(({ AvailabilityZone = '' }) => AvailabilityZone))].sort();
      const message = `${subnets.length} in ${zones.join(', ')}, with ${free} free addresses`;
      return free < FEW_ADDRESSES
        ? warn('subnets', `${message}: few nodes and pods have room`)
        : pass('subnets', message);
    },
  });
}

/** The security groups of a class. */
export function securityGroupsOf(nodeClass: EC2NodeClass, { apis, ...deps }: LookupDeps, signal: AbortSignal) {
  const provider = new SecurityGroups({ ...deps, ec2: apis.ec2, log: SILENT });
  return select({
    check: 'security groups',
    terms: nodeClass.spec.securityGroupSelectorTerms,
    list: (term) => provider.list(only(nodeClass, { securityGroupSelectorTerms: [term] }), signal),
    id: ({ GroupId = '' }) => GroupId,
    tags: ({ Tags }) => Tags,
    good: (groups) =>
      pass('security groups', groups.map(({ GroupId, GroupName }) => `${GroupId} (${GroupName})`).join(', ')),
  });
}

/** The images of a class. */
export function amisOf(nodeClass: EC2NodeClass, deps: LookupDeps, signal: AbortSignal): Promise<Lookup<Ami>> {
  const { apis, kubernetesVersion } = deps;
  const ssm = new DefaultSsmProvider({ ...deps, ssm: apis.ssm, log: SILENT });
  const version = { get: () => kubernetesVersion };
  const provider = new DefaultAmiProvider({ ...deps, ec2: apis.ec2, log: SILENT, ssm, version });
  return select({
    check: 'AMIs',
    terms: nodeClass.spec.amiSelectorTerms,
    list: (term) => provider.list(only(nodeClass, { amiSelectorTerms: [term] }), signal),
    // One image may serve several kinds of machines.
    id: ({ id, requirements }) => `${id} ${JSON.stringify(requirements)}`,
    good: (amis) => {
      const message = `${new Set(amis.map(({ id }) => id)).size}, the newest is ${amis[0]?.name || amis[0]?.id}`;
      const fix = ['a newer version in amiSelectorTerms'];
      return amis.every(({ deprecated }) => deprecated)
        ? warn('AMIs', `${message}; all of them are deprecated`, { fix })
        : pass('AMIs', message);
    },
  });
}

const FEW_ADDRESSES = 16;

/** The class with other terms, as one that no cache knows. */
function only(
  nodeClass: EC2NodeClass,
  terms: Partial<Record<keyof EC2NodeClass['spec'], readonly object[]>>,
): EC2NodeClass {
  const { metadata, spec } = nodeClass;
  return {
    ...nodeClass,
    metadata: { ...metadata, uid: `${metadata.uid}/${JSON.stringify(terms)}` },
    spec: { ...spec, ...terms } as EC2NodeClass['spec'],
  };
}

/** Each term apart: one that selects nothing is often a slip, though the others select something. */
async function select<T>({ check, terms, list, id, tags, good }: Selection<T>): Promise<Lookup<T>> {
  const found = new Map<string, T>();
  const findings: Finding[] = [];
  await Promise.all(
    terms.map(async (term) => {
      try {
        const selected = await list(term);
        for (const each of selected) found.set(id(each), each);
        if (selected.length > 0) return;
        const details = tags ? await otherValues(term, list, tags) : [];
        findings.push(nothing(check, term, details));
      } catch (error) {
        findings.push(unknown(check, term, error));
      }
    }),
  );
  const all = [...found.values()];
  if (all.length === 0) return { found: all, findings };
  const slips = findings.map(
    (finding): Finding => (finding.verdict === 'fail' ? { ...finding, verdict: 'warn' } : finding),
  );
  return { found: all, findings: [good(all), ...slips] };
}

/** What things of the account have for the tags of a term that none of them meets. */
async function otherValues<T>(
  { tags = {} }: Term,
  list: Selection<T>['list'],
  tagsOfOne: (found: T) => TagList,
): Promise<readonly string[]> {
  const keys = Object.keys(tags).filter((key) => key !== '*');
  return await Promise.all(
    keys.map(async (key) => {
      const tagged = await list({ tags: { [key]: '*' } });
      const values = new Set(tagged.map((each) => tagsOf(tagsOfOne(each))[key] ?? ''));
      return values.size === 0
        ? `nothing has a tag ${key}`
        : `values of the tag ${key} here: ${[...values].sort().join(', ')}`;
    }),
  );
}

function nothing(check: string, term: Term, details: readonly string[]): Finding {
  const { tags } = term;
  const pairs = Object.entries(tags ?? {}).map(([Key, Value]) => `Key=${Key},Value=${Value}`);
  const tag = pairs.length > 0 && !pairs.some((pair) => pair.includes('*'));
  const fix = tag ? [`aws ec2 create-tags --resources ID… --tags ${pairs.join(' ')}`] : ['another selector term'];
  return fail(check, `nothing in this account and region is selected by ${termText(term)}`, { details, fix });
}

function unknown(check: string, term: Term, error: unknown): Finding {
  if (isDenied(error)) return skipped(check, 'they may not be described: see the permissions');
  return fail(check, `${termText(term)}: ${errorSummary(error)}`);
}

function termText(term: Term): string {
  return Object.entries(term)
    .map(([key, value]) =>
      typeof value === 'object'
        ? `${key} ${Object.entries(value)
            .map(([tag, wanted]) => `${tag}=${wanted}`)
            .join(',')}`
        : `${key} ${value}`,
    )
    .join(', ');
}

/** The instance profile of a class: the one that it names, or that holds its role. */
export async function instanceProfileOf(
  { spec, status }: EC2NodeClass,
  { apis }: LookupDeps,
  signal: AbortSignal,
): Promise<{ readonly name?: string; readonly roleARN?: string; readonly finding: Finding }> {
  const check = 'instance profile';
  const name = spec.instanceProfile ?? status?.instanceProfile;
  if (name === undefined) {
    const message = `none yet: the controller makes one for role "${spec.role}", which can only be tried then`;
    return { finding: skipped(check, message) };
  }
  let profile: InstanceProfile | undefined;
  try {
    profile = (await apis.iam.getInstanceProfile({ InstanceProfileName: name }, { signal, once: true }))
      .InstanceProfile;
  } catch (error) {
    if (isDenied(error)) return { name, finding: skipped(check, `"${name}" may not be read: see the permissions`) };
    if (!isAwsNotFound(error)) return { name, finding: fail(check, `"${name}": ${errorSummary(error)}`) };
    if (spec.role)
      return { finding: warn(check, `"${name}" is gone; the controller makes another for role "${spec.role}"`) };
    const fix = ['spec.role with the name of a role: then the controller makes the profile'];
    return { finding: fail(check, `"${name}" does not exist`, { fix }) };
  }
  return { name, ...roleFinding(check, name, profile?.Roles?.[0], spec.role) };
}

function roleFinding(check: string, name: string, role: Role | undefined, wanted: string | undefined) {
  if (!role) return { finding: fail(check, `"${name}" has no role, so that nodes may nothing`) };
  const { RoleName = '', Arn } = role;
  const found = { ...(Arn ? { roleARN: Arn } : {}) };
  if (wanted !== undefined && roleName(wanted) !== RoleName) {
    return {
      ...found,
      finding: warn(check, `"${name}" holds role "${RoleName}"; the controller makes one for "${wanted}"`),
    };
  }
  return { ...found, finding: pass(check, `"${name}" with role "${RoleName}"`) };
}
