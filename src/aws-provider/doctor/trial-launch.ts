import type { RunInstancesRequest, Subnet } from '@aws-sdk/client-ec2';
import { LABEL_ARCH } from '../../apis/labels.ts';
import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { instanceTags } from '../apis/instance-tags.ts';
import { isDryRunSuccess, isInstanceProfileUnknown } from '../aws-api/error-kinds.ts';
import { tagList } from '../aws-api/tags.ts';
import type { Ami } from '../providers/contracts.ts';
import type { AwsDoctorDeps } from './deps.ts';
import { allowed, errorSummary, type Outcome, outcomeOf, untried } from './outcome.ts';

/** What a class resolves to, as far as a launch needs it. */
export interface Launchable {
  readonly nodeClass: EC2NodeClass;
  readonly subnets: readonly Subnet[];
  readonly securityGroupIDs: readonly string[];
  readonly amis: readonly Ami[];
  /** Undefined while it has not been made. */
  readonly instanceProfile: string | undefined;
}

export interface TrialResult {
  readonly finding: Finding;
  readonly outcomes: readonly Outcome[];
}

/** Types that are sold nearly everywhere, one for each architecture, as the controller tries them. */
export const TRIAL_TYPES = { amd64: 'm5.large', arm64: 'm6g.large' } as const;

const CHECK = 'trial launch';
const RUN = 'ec2:RunInstances';
const PASS_ROLE = 'iam:PassRole';
const TAGGED = ['instance', 'volume', 'network-interface'] as const;

/**
 * Asks EC2, by dry run, whether it would launch a node of the class. That tells more than one permission: instances, what
 * they are made of, their tags, and the role that is passed to them.
 */
export async function trialLaunch(
  { apis, options }: Pick<AwsDoctorDeps, 'apis' | 'options'>,
  launchable: Launchable,
  signal: AbortSignal,
): Promise<TrialResult> {
  const request = requestFor(launchable, options.clusterName);
  if (!request) return { finding: skipped(CHECK, 'what the class selects is not complete'), outcomes: [] };
  const { instanceProfile } = launchable;
  const passed = instanceProfile === undefined ? untried(PASS_ROLE, NO_PROFILE_YET) : allowed(PASS_ROLE);
  const what = `${request.InstanceType} of ${request.ImageId} in ${request.NetworkInterfaces?.[0]?.SubnetId}`;
  try {
    await apis.ec2.runInstances(request, { signal, once: true });
  } catch (error) {
    if (isDryRunSuccess(error)) {
      return { finding: pass(CHECK, `EC2 would launch ${what}`), outcomes: [allowed(RUN), passed] };
    }
    const outcome = outcomeOf(RUN, error);
    if (outcome.kind === 'denied') {
      const others = [RUN, PASS_ROLE].filter((action) => action !== outcome.action);
      const first = others.map((action) => untried(action, `EC2 refuses ${outcome.action} first`));
      return { finding: skipped(CHECK, `${what}: see the permissions`), outcomes: [outcome, ...first] };
    }
    if (isInstanceProfileUnknown(error)) {
      return { finding: fail(CHECK, `EC2 knows no instance profile "${instanceProfile}"`), outcomes: [] };
    }
    return { finding: warn(CHECK, `EC2 would not launch ${what}: ${errorSummary(error)}`), outcomes: [outcome] };
  }
  throw new Error('EC2 has launched an instance that was asked for as a dry run');
}

const NO_PROFILE_YET = 'no instance profile has been made yet for the role of an EC2NodeClass';

function requestFor(
  { nodeClass, subnets, securityGroupIDs, amis, instanceProfile }: Launchable,
  clusterName: string,
): RunInstancesRequest | undefined {
  const [subnet] = subnets;
  const image = imageFor('amd64', amis) ?? imageFor('arm64', amis);
  if (!subnet || !image || securityGroupIDs.length === 0) return undefined;
  const tags = tagList(instanceTags(nodeClass, '', clusterName));
  return {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    ImageId: image.id,
    InstanceType: TRIAL_TYPES[image.architecture],
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnet.SubnetId, Groups: [...securityGroupIDs] }],
    ...(instanceProfile === undefined ? {} : { IamInstanceProfile: { Name: instanceProfile } }),
    TagSpecifications: TAGGED.map((ResourceType) => ({ ResourceType, Tags: tags })),
  };
}

/** The plainest image: those for accelerators ask for more. */
function imageFor(architecture: 'amd64' | 'arm64', amis: readonly Ami[]) {
  const fit = amis.filter(({ requirements }) =>
    requirements.some(({ key, values = [] }) => key === LABEL_ARCH && values.includes(architecture)),
  );
  const plain = fit.find(({ requirements }) => requirements.every(({ operator }) => operator !== 'Exists'));
  const ami = plain ?? fit[0];
  return ami && { id: ami.id, architecture };
}
