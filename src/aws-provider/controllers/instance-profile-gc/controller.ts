import type { ControllerContext } from '../../../controllers/context.ts';
import { isManagedClaim } from '../../../controllers/managed.ts';
import type { Objects } from '../../../controllers/objects.ts';
import { type ControllerSpec, reads } from '../../../kube/controller.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { ANNOTATION_INSTANCE_PROFILE } from '../../apis/labels.ts';
import { withFacts } from '../../aws-api/with-facts.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import type { InstanceProfileProvider } from '../../providers/contracts.ts';
import { profilePath } from '../../providers/instance-profile/profile-path.ts';

export interface InstanceProfileGarbageCollectionDeps extends Pick<ControllerContext, 'nodeClaims' | 'cloud' | 'log'> {
  readonly nodeClasses: Objects<EC2NodeClass>;
  readonly instanceProfiles: Pick<InstanceProfileProvider, 'listProfiles' | 'delete' | 'isProtected'>;
  readonly options: Pick<AwsOptions, 'clusterName'>;
  readonly region: string;
}

const PERIOD_MS = 30 * 60_000;

/**
 * Deletes instance profiles that were made for the cluster and that nothing uses any more (aws-provider.md section 13).
 * Not for isolated VPCs, out of which there is no way to IAM.
 */
export class InstanceProfileGarbageCollection implements ControllerSpec {
  readonly name = 'instanceprofile.garbagecollection';
  /** Before they are known, every profile would look as if nobody used it. */
  readonly watches = [reads(NodeClaims), reads(Ec2NodeClasses)];
  readonly initialKeys = ['all'];
  readonly #deps: InstanceProfileGarbageCollectionDeps;

  constructor(deps: InstanceProfileGarbageCollectionDeps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const { instanceProfiles, options, region, log } = this.#deps;
    const used = this.#used();
    const profiles = await instanceProfiles.listProfiles(profilePath(region, options.clusterName), signal);
    for (const { InstanceProfileName: name = '' } of profiles) {
      if (used.has(name) || instanceProfiles.isProtected(name)) continue;
      try {
        await instanceProfiles.delete(name, signal);
      } catch (error) {
        throw wrappedError(withFacts('deleting instance profile', { 'instance-profile': name }), error);
      }
      log.debug('deleted instance profile', { 'instance-profile': name });
    }
    return { requeueAfter: PERIOD_MS };
  }

  /** By classes now, or by claims since they were launched. */
  #used(): ReadonlySet<string | undefined> {
    const { nodeClaims, nodeClasses, cloud } = this.#deps;
    return new Set([
      ...nodeClaims
        .list()
        .filter((claim) => isManagedClaim(cloud, claim))
        .map(({ metadata }) => metadata.annotations?.[ANNOTATION_INSTANCE_PROFILE]),
      ...nodeClasses.list().map(({ status }) => status?.instanceProfile),
    ]);
  }
}
