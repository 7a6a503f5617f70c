import { CAPACITY_TYPE_ON_DEMAND } from '../../apis/labels.ts';
import { LABEL_NODE_CLASS, TAG_EKS_CLUSTER_NAME, TAG_NAME, TAG_NODE_POOL, tagOfCluster } from '../apis/labels.ts';
import { tagList, tagsOf } from '../aws-api/tags.ts';
import { fleetRequest } from '../providers/instance/fleet-request.ts';
import type { AwsDoctorDeps } from './deps.ts';
import { type Outcome, tryAction, untried } from './outcome.ts';
import type { Probe } from './reads.ts';
import { TRIAL_TYPES } from './trial-launch.ts';

type Deps = Pick<AwsDoctorDeps, 'apis' | 'options'>;

const DRY = { DryRun: true };
const NAME = 'karpenter.k8s.aws/doctor';
const SMALLEST_PAGE = 5;
/** Some image: the template is never made. */
const ANY_IMAGE = 'ami-00000000000000000';

const NO_DRY_RUN = 'IAM has no dry run, so it shows when the first instance profile is made';
const IAM_WRITES = [
  'iam:CreateInstanceProfile',
  'iam:TagInstanceProfile',
  'iam:AddRoleToInstanceProfile',
  'iam:RemoveRoleFromInstanceProfile',
  'iam:DeleteInstanceProfile',
];

/**
 * What changes something, by dry runs only. Things that must bear the cluster's tags are tried on things that do, since
 * the policies allow no others: where the cluster has none yet, nothing can be said.
 *
 * @param subnetID one that a fleet could be tried in.
 */
export function writeProbes(deps: Deps, dryRuns: boolean, subnetID: string | undefined): readonly Probe[] {
  const { ec2 } = deps.apis;
  const not = (action: string, why: string): Probe => ({ action, run: async () => untried(action, why) });
  const iam = IAM_WRITES.map((action) => not(action, NO_DRY_RUN));
  if (!dryRuns) {
    const actions = ['CreateLaunchTemplate', 'CreateFleet', 'DeleteLaunchTemplate', 'TerminateInstances', 'CreateTags'];
    return [...actions.map((action) => not(`ec2:${action}`, 'EC2 has no dry runs here')), ...iam];
  }
  const template = once(() => ownTemplate(deps));
  const instance = once(() => ownInstance(deps));
  return [
    {
      action: 'ec2:CreateLaunchTemplate',
      run: (signal) =>
        tryAction('ec2:CreateLaunchTemplate', () => {
          const data = { ImageId: ANY_IMAGE };
          const specification = { ResourceType: 'launch-template' as const, Tags: tagList(tagsOfCluster(deps)) };
          const request = { LaunchTemplateName: NAME, LaunchTemplateData: data, TagSpecifications: [specification] };
          return ec2.createLaunchTemplate({ ...request, ...DRY }, { signal, once: true });
        }),
    },
    onOwn('ec2:CreateFleet', 'launch template', template, ({ LaunchTemplateName }, signal) => {
      const Overrides = [{ InstanceType: TRIAL_TYPES.amd64, ...(subnetID ? { SubnetId: subnetID } : {}) }];
      const configs = [{ LaunchTemplateSpecification: { LaunchTemplateName, Version: '$Latest' }, Overrides }];
      const tags = tagsOfCluster(deps);
      const request = fleetRequest({ capacityType: CAPACITY_TYPE_ON_DEMAND, tags, configs, byPriority: false });
      return ec2.createFleet({ ...request, ...DRY }, { signal, once: true });
    }),
    onOwn('ec2:DeleteLaunchTemplate', 'launch template', template, ({ LaunchTemplateId }, signal) =>
      ec2.deleteLaunchTemplate({ LaunchTemplateId, ...DRY }, { signal, once: true }),
    ),
    onOwn('ec2:TerminateInstances', 'instance', instance, ({ InstanceId = '' }, signal) =>
      ec2.terminateInstances({ InstanceIds: [InstanceId], ...DRY }, { signal, once: true }),
    ),
    onOwn('ec2:CreateTags', 'instance', instance, ({ InstanceId = '', Tags }, signal) => {
      const name = tagsOf(Tags)[TAG_NAME] ?? InstanceId;
      const request = { Resources: [InstanceId], Tags: tagList({ [TAG_NAME]: name }) };
      return ec2.createTags({ ...request, ...DRY }, { signal, once: true });
    }),
    ...iam,
  ];
}

/** Tries an action on something of the cluster's own. */
function onOwn<T>(
  action: string,
  what: string,
  find: () => Promise<T | undefined>,
  ask: (found: T, signal: AbortSignal) => Promise<unknown>,
): Probe {
  return {
    action,
    run: async (signal): Promise<Outcome> => {
      const found = await find().catch(() => undefined);
      if (found === undefined) return untried(action, `there is no ${what} of this cluster yet to try it on`);
      return await tryAction(action, () => ask(found, signal));
    },
  };
}

/** The tags that everything of a cluster bears, as the policies ask for them. */
export function tagsOfCluster({ options }: Pick<Deps, 'options'>): Readonly<Record<string, string>> {
  const { clusterName } = options;
  return {
    [tagOfCluster(clusterName)]: 'owned',
    [TAG_EKS_CLUSTER_NAME]: clusterName,
    [TAG_NODE_POOL]: NAME,
    [LABEL_NODE_CLASS]: NAME,
  };
}

async function ownTemplate({ apis, options }: Deps) {
  const Filters = [{ Name: `tag:${TAG_EKS_CLUSTER_NAME}`, Values: [options.clusterName] }];
  const { LaunchTemplates = [] } = await apis.ec2.describeLaunchTemplates({ Filters, MaxResults: SMALLEST_PAGE });
  return LaunchTemplates[0];
}

async function ownInstance({ apis, options }: Deps) {
  const Filters = [
    { Name: `tag:${TAG_EKS_CLUSTER_NAME}`, Values: [options.clusterName] },
    { Name: `tag:${tagOfCluster(options.clusterName)}`, Values: ['owned'] },
    { Name: 'tag-key', Values: [TAG_NODE_POOL] },
    { Name: 'instance-state-name', Values: ['running'] },
  ];
  const { Reservations = [] } = await apis.ec2.describeInstances({ Filters, MaxResults: SMALLEST_PAGE });
  return Reservations.flatMap(({ Instances = [] }) => Instances)[0];
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
