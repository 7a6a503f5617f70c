import type { Clock, Random } from '../../../kube/clock.ts';
import { INSTANCE_PROFILE_READY } from '../../apis/condition-types.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { newInstanceProfileName } from '../../apis/hash/instance-profile-name.ts';
import { instanceProfileTags } from '../../apis/instance-tags.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { InstanceProfileProvider } from '../../providers/contracts.ts';
import { profilePath } from '../../providers/instance-profile/profile-path.ts';
import { roleName } from '../../providers/instance-profile/role-name.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

export interface InstanceProfileReconcilerDeps {
  readonly instanceProfiles: InstanceProfileProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly options: Pick<AwsOptions, 'clusterName'>;
  readonly region: string;
}

const GUARD_MS = 60_000;

/**
 * Sees to the instance profile of a class: the one that it names, or one that holds its role. Another role gets another
 * profile, for IAM tells instances of a changed one only after some time.
 */
export class InstanceProfileReconciler implements NodeClassReconciler {
  readonly #deps: InstanceProfileReconcilerDeps;
  /** Profiles that were made a short time ago, so that a lost status does not make one more. */
  readonly #made: TtlCache<string>;

  constructor(deps: InstanceProfileReconcilerDeps) {
    this.#deps = deps;
    this.#made = new TtlCache(deps.clock, { ttlMs: GUARD_MS, sweepMs: GUARD_MS });
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<undefined> {
    const { spec, status } = draft.nodeClass;
    if (spec.role) await this.#ensureRole(draft, spec.role, signal);
    else {
      this.#protect(status?.instanceProfile);
      draft.set('instanceProfile', spec.instanceProfile);
    }
    draft.conditions.setTrue(INSTANCE_PROFILE_READY);
    return undefined;
  }

  async #ensureRole(draft: NodeClassDraft, role: string, signal: AbortSignal): Promise<void> {
    const { nodeClass } = draft;
    const before = nodeClass.status?.instanceProfile;
    const known = this.#made.get(guardKey(nodeClass)) ?? before;
    draft.set('instanceProfile', known);
    if ((await this.#roleOf(known, signal)) !== roleName(role)) {
      draft.set('instanceProfile', await this.#make(nodeClass, role, signal));
    }
    // Claims that were launched with it may not have been seen yet.
    if (before !== draft.nodeClass.status?.instanceProfile) this.#protect(before);
  }

  async #roleOf(name: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (!name) return undefined;
    try {
      return (await this.#deps.instanceProfiles.get(name, signal)).Roles?.[0]?.RoleName;
    } catch (error) {
      if (isAwsNotFound(error)) return undefined;
      throw wrappedError(`getting instance profile ${name}`, error);
    }
  }

  async #make(nodeClass: EC2NodeClass, role: string, signal: AbortSignal): Promise<string> {
    const { instanceProfiles, random, options, region } = this.#deps;
    const { clusterName } = options;
    const name = newInstanceProfileName(nodeClass.metadata.name, clusterName, region, random.uuid());
    const path = profilePath(region, clusterName, nodeClass.metadata.uid);
    try {
      await instanceProfiles.create(name, role, instanceProfileTags(nodeClass, clusterName, region), path, signal);
    } catch (error) {
      // It may be there without the role: each attempt would leave one more. What remains is collected later.
      await instanceProfiles.delete(name, signal).catch(() => {});
      throw wrappedError('creating instance profile', error);
    }
    this.#made.set(guardKey(nodeClass), name);
    this.#protect(name);
    return name;
  }

  #protect(name: string | undefined): void {
    if (name) this.#deps.instanceProfiles.setProtected(name, true);
  }
}

const guardKey = ({ spec, metadata }: EC2NodeClass): string => `${spec.role}/${metadata.uid}`;
