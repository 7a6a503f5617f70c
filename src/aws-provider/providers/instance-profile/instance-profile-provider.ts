import type { InstanceProfile } from '@aws-sdk/client-iam';
import type { Clock } from '../../../kube/clock.ts';
import type { IamApi } from '../../aws-api/apis.ts';
import { errorText, isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { pages } from '../../aws-api/pages.ts';
import { tagList } from '../../aws-api/tags.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { InstanceProfileProvider } from '../contracts.ts';
import { roleName } from './role-name.ts';

export interface InstanceProfileDeps {
  readonly iam: IamApi;
  readonly clock: Clock;
}

const MINUTE_MS = 60_000;
const CACHED_MS = 15 * MINUTE_MS;
const PROTECTED_MS = 60 * MINUTE_MS;
const SWEEP_MS = MINUTE_MS;

/** Instance profiles in IAM (aws-provider.md section 13). */
export class InstanceProfiles implements InstanceProfileProvider {
  readonly #iam: IamApi;
  readonly #profiles: TtlCache<InstanceProfile>;
  /** By role: while it is not there, a profile would only be made in vain. */
  readonly #missingRoles: TtlCache<unknown>;
  readonly #protected: TtlCache<true>;

  constructor({ iam, clock }: InstanceProfileDeps) {
    this.#iam = iam;
    this.#profiles = new TtlCache(clock, { ttlMs: CACHED_MS, sweepMs: SWEEP_MS });
    this.#missingRoles = new TtlCache(clock, { ttlMs: MINUTE_MS, sweepMs: SWEEP_MS });
    this.#protected = new TtlCache(clock, { ttlMs: PROTECTED_MS, sweepMs: SWEEP_MS });
  }

  async get(name: string, signal?: AbortSignal): Promise<InstanceProfile> {
    const cached = this.#profiles.get(name);
    if (cached) return cached;
    const profile = await this.#describe(name, signal);
    this.#profiles.set(name, profile);
    return profile;
  }

  async create(
    name: string,
    role: string,
    tags: Readonly<Record<string, string>>,
    path: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const bare = roleName(role);
    const missing = this.#missingRoles.get(bare);
    if (missing) throw wrappedError('role not found', missing);
    const existing = await this.#find(name, signal);
    const profile = existing ?? (await this.#make(name, tags, path, signal));
    const attached = profile.Roles?.[0]?.RoleName;
    if (attached !== bare) await this.#attach(name, attached, bare, signal);
    // IAM tells the new role with delay: whoever asks soon must not think that it is missing.
    this.#profiles.set(name, { ...profile, Roles: [{ ...UNREAD, RoleName: bare }] });
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    const profile = await ifFound(() => this.#describe(name, signal), `getting instance profile ${name}`);
    if (!profile) return;
    const attached = profile.Roles?.[0]?.RoleName;
    if (attached !== undefined) await this.#detach(name, attached, signal);
    const request = { InstanceProfileName: name };
    const deleted = await ifFound(async () => {
      await this.#iam.deleteInstanceProfile(request, { signal });
      return true;
    }, `deleting instance profile ${name}`);
    if (!deleted) return;
    this.#profiles.delete(name);
    this.setProtected(name, false);
  }

  async listProfiles(pathPrefix: string, signal?: AbortSignal): Promise<readonly InstanceProfile[]> {
    const call = async ({ NextToken: marker }: { readonly NextToken?: string }) => {
      const request = { PathPrefix: pathPrefix, ...(marker === undefined ? {} : { Marker: marker }) };
      const { InstanceProfiles, IsTruncated, Marker } = await this.#iam.listInstanceProfiles(request, { signal });
      return { InstanceProfiles, NextToken: IsTruncated ? Marker : undefined };
    };
    const profiles: InstanceProfile[] = [];
    for await (const { InstanceProfiles = [] } of pages(call, {})) profiles.push(...InstanceProfiles);
    return profiles;
  }

  isProtected(name: string): boolean {
    return this.#protected.has(name);
  }

  setProtected(name: string, isProtected: boolean): void {
    if (isProtected) this.#protected.set(name, true);
    else this.#protected.delete(name);
  }

  async #find(name: string, signal: AbortSignal | undefined): Promise<InstanceProfile | undefined> {
    return await ifFound(() => this.get(name, signal), `getting instance profile ${name}`);
  }

  async #describe(name: string, signal: AbortSignal | undefined): Promise<InstanceProfile> {
    const { InstanceProfile: profile } = await this.#iam.getInstanceProfile({ InstanceProfileName: name }, { signal });
    if (!profile) throw new Error(`IAM answered nothing for instance profile ${name}`);
    return profile;
  }

  async #make(
    name: string,
    tags: Readonly<Record<string, string>>,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<InstanceProfile> {
    const request = { InstanceProfileName: name, Tags: tagList(tags), ...(path ? { Path: path } : {}) };
    const { InstanceProfile: profile } = await this.#iam.createInstanceProfile(request, { signal });
    if (!profile) throw new Error(`IAM answered nothing when instance profile ${name} was made`);
    return profile;
  }

  /** A profile has one role at most, so the wrong one has to go first. */
  async #attach(
    name: string,
    attached: string | undefined,
    role: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (attached !== undefined) await this.#detach(name, attached, signal);
    try {
      await this.#iam.addRoleToInstanceProfile({ InstanceProfileName: name, RoleName: role }, { signal });
    } catch (cause) {
      const error = wrappedError(`adding role ${role} to instance profile ${name}`, cause);
      if (isRoleNotFound(cause)) this.#missingRoles.set(role, error);
      throw error;
    }
  }

  async #detach(name: string, role: string, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#iam.removeRoleFromInstanceProfile({ InstanceProfileName: name, RoleName: role }, { signal });
    } catch (cause) {
      throw wrappedError(`removing role ${role} from instance profile ${name}`, cause);
    }
  }
}

/** Not the profile is missing then, but the role. */
const isRoleNotFound = (error: unknown): boolean => isAwsNotFound(error) && errorText(error).includes('role');

/** What a role has besides, and nobody reads. */
const UNREAD = { Path: undefined, RoleId: undefined, Arn: undefined, CreateDate: undefined };

async function ifFound<T>(call: () => Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isAwsNotFound(error)) return undefined;
    throw wrappedError(what, error);
  }
}
