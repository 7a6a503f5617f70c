import type { ControllerContext } from '../../../controllers/context.ts';
import { BY_NODE_CLASS, nodeClassKey } from '../../../controllers/indexes.ts';
import type { Objects } from '../../../controllers/objects.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { legacyInstanceProfileName } from '../../apis/hash/instance-profile-name.ts';
import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import { withFacts } from '../../aws-api/with-facts.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import type { InstanceProfileProvider, LaunchTemplateProvider } from '../../providers/contracts.ts';
import { profilePath } from '../../providers/instance-profile/profile-path.ts';
import { waitingOnNodeClaimTermination } from './events.ts';
import type { ValidationCache } from './validation/validation-cache.ts';

export interface FinalizerDeps extends Pick<ControllerContext, 'nodeClaims' | 'recorder' | 'log'> {
  readonly nodeClasses: Objects<EC2NodeClass>;
  readonly instanceProfiles: Pick<InstanceProfileProvider, 'listProfiles' | 'delete'>;
  readonly launchTemplates: Pick<LaunchTemplateProvider, 'deleteAll'>;
  readonly cache: ValidationCache;
  readonly options: Pick<AwsOptions, 'clusterName' | 'isolatedVPC'>;
  readonly region: string;
}

/** How often it is told that a class still waits for its claims. */
const WAITING_MS = 10 * 60_000;
const IAM_NAME = /^[\w+=,.@-]{1,128}$/;

/** Cleans up behind a class that nobody uses any more (aws-provider.md section 6). */
export class Finalizer {
  readonly #deps: FinalizerDeps;

  constructor(deps: FinalizerDeps) {
    this.#deps = deps;
  }

  async finalize(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodeClaims, nodeClasses, recorder, options, cache } = this.#deps;
    const { metadata } = nodeClass;
    if (!metadata.finalizers?.includes(TERMINATION_FINALIZER)) return undefined;
    const claims = nodeClaims.byIndex(BY_NODE_CLASS, nodeClassKey({ ...Ec2NodeClasses, name: metadata.name }));
    if (claims.length > 0) {
      const names = claims.map((claim) => claim.metadata.name);
      recorder.publish(waitingOnNodeClaimTermination(nodeClass, names));
      return { requeueAfter: WAITING_MS };
    }
    // There is no way to IAM out of an isolated VPC.
    if (!options.isolatedVPC) await this.#deleteProfiles(nodeClass, signal);
    await this.#deleteLaunchTemplates(nodeClass, signal);
    const finalizers = metadata.finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
    await nodeClasses.patch(nodeClass, { ...nodeClass, metadata: { ...metadata, finalizers } }, { lock: true }, signal);
    cache.forget(metadata.name);
    return undefined;
  }

  async #deleteProfiles({ metadata }: EC2NodeClass, signal: AbortSignal): Promise<void> {
    const { options, region, instanceProfiles, log } = this.#deps;
    const path = profilePath(region, options.clusterName, metadata.uid);
    const profiles = await instanceProfiles.listProfiles(path, signal);
    for (const { InstanceProfileName: name = '' } of profiles) await this.#deleteProfile(name, signal);
    // Earlier versions made one profile for each class, without a path of its own.
    const legacy = legacyInstanceProfileName(metadata.name, options.clusterName, region);
    if (IAM_NAME.test(legacy)) await this.#deleteProfile(legacy, signal);
    else {
      const why = 'skipping legacy instance profile cleanup, synthesized name is not IAM-valid';
      log.debug(why, { 'instance-profile': legacy });
    }
  }

  async #deleteProfile(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.instanceProfiles.delete(name, signal);
    } catch (error) {
      throw wrappedError(withFacts('deleting instance profile', { 'instance-profile': name }), error);
    }
  }

  async #deleteLaunchTemplates(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.launchTemplates.deleteAll(nodeClass, signal);
    } catch (error) {
      throw wrappedError('deleting launch templates', error);
    }
  }
}
