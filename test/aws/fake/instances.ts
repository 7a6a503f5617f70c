import type { Filter, InstanceStatus, InstanceStatusEvent, Reservation } from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError, dryRunSuccess } from '../scripted-api.ts';
import type { FakeCloud, FakeInstance } from './cloud.ts';
import { fromTags, passes, toTags } from './filters.ts';
import { pageOf } from './paging.ts';

type InstanceCalls = Pick<
  Ec2Api,
  'describeInstances' | 'describeInstanceStatus' | 'terminateInstances' | 'createTags' | 'runInstances'
>;

export function instanceCalls(cloud: FakeCloud): InstanceCalls {
  return {
    describeInstances: async (input) => {
      if (input.InstanceIds?.length && input.MaxResults !== undefined) {
        throw awsError(
          'InvalidParameterCombination',
          'The parameter instancesSet cannot be used with the parameter maxResults',
        );
      }
      const instances = input.InstanceIds?.length ? known(cloud, input.InstanceIds) : cloud.visibleInstances();
      const page = pageOf(
        instances.filter((instance) => instancePasses(cloud, instance, input.Filters)),
        input,
        cloud.pageLimit,
      );
      return { Reservations: reservations(cloud, page.items), ...(page.NextToken && { NextToken: page.NextToken }) };
    },
    terminateInstances: async ({ InstanceIds = [], DryRun }) => ({
      TerminatingInstances: unlessDry(DryRun, known(cloud, InstanceIds)).map((instance) => {
        const previous = cloud.stateOf(instance);
        cloud.terminate(instance.data.InstanceId ?? '');
        return {
          InstanceId: instance.data.InstanceId,
          PreviousState: { Name: previous },
          CurrentState: { Name: previous === 'terminated' ? 'terminated' : 'shutting-down' },
        };
      }),
    }),
    createTags: async ({ Resources = [], Tags, DryRun }) => {
      for (const { data } of unlessDry(DryRun, known(cloud, Resources))) {
        data.Tags = toTags({ ...fromTags(data.Tags), ...fromTags(Tags) });
      }
    },
    describeInstanceStatus: async (input) => {
      const statuses = cloud
        .visibleInstances()
        .filter((instance) => cloud.stateOf(instance) === 'running')
        .map(statusOf)
        .filter((status) =>
          passes(input.Filters, {
            'instance-status.status': [status.InstanceStatus?.Status],
            'system-status.status': [status.SystemStatus?.Status],
            'event.code': (status.Events ?? []).map(({ Code }) => Code),
          }),
        );
      const page = pageOf(statuses, input, cloud.pageLimit);
      return { InstanceStatuses: page.items, ...(page.NextToken && { NextToken: page.NextToken }) };
    },
    runInstances: async (input) => {
      const name = input.LaunchTemplate?.LaunchTemplateName;
      const template = name === undefined ? undefined : cloud.launchTemplates.get(name);
      if (name !== undefined && !template) {
        throw awsError('InvalidLaunchTemplateName.NotFoundException', `No launch template ${name}.`);
      }
      const profile = (input.IamInstanceProfile ?? template?.data.IamInstanceProfile)?.Name;
      if (profile !== undefined && !cloud.knowsProfile(profile)) {
        throw awsError(
          'InvalidParameterValue',
          `Value (${profile}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
        );
      }
      if (!input.DryRun) throw new Error('the controller must not run instances but by fleets');
      throw dryRunSuccess();
    },
  };
}

const unlessDry = (isDry: boolean | undefined, instances: FakeInstance[]): FakeInstance[] => {
  if (isDry) throw dryRunSuccess();
  return instances;
};

function known(cloud: FakeCloud, ids: readonly string[]): FakeInstance[] {
  const visible = new Map(cloud.visibleInstances().map((instance) => [instance.data.InstanceId, instance]));
  const missing = ids.filter((id) => !visible.has(id));
  if (missing.length > 0) {
    const text = missing.length === 1 ? `ID '${missing[0]}' does` : `IDs '${missing.join(', ')}' do`;
    throw awsError('InvalidInstanceID.NotFound', `The instance ${text} not exist`);
  }
  return ids.flatMap((id) => visible.get(id) ?? []);
}

function instancePasses(cloud: FakeCloud, instance: FakeInstance, filters: Filter[] | undefined): boolean {
  const { data } = instance;
  return passes(
    filters,
    {
      'instance-state-name': [cloud.stateOf(instance)],
      'instance-type': [data.InstanceType],
      'subnet-id': [data.SubnetId],
    },
    fromTags(data.Tags),
  );
}

function reservations(cloud: FakeCloud, instances: readonly FakeInstance[]): Reservation[] {
  const groups = Map.groupBy(instances, ({ reservationId }) => reservationId);
  return [...groups].map(([ReservationId, members]) => ({
    ReservationId,
    Instances: members.map((instance) => ({
      ...instance.data,
      Placement: { ...instance.data.Placement },
      State: { Name: cloud.stateOf(instance) },
    })),
  }));
}

function statusOf({ data, impaired, events }: FakeInstance): InstanceStatus {
  const summary = (kind: string): NonNullable<InstanceStatus['InstanceStatus']> =>
    impaired?.kind === kind
      ? {
          Status: 'impaired',
          Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(impaired.since) }],
        }
      : { Status: 'ok', Details: [{ Name: 'reachability', Status: 'passed' }] };
  return {
    InstanceId: data.InstanceId,
    AvailabilityZone: data.Placement?.AvailabilityZone,
    InstanceState: { Name: 'running' },
    InstanceStatus: summary('instance'),
    SystemStatus: summary('system'),
    Events: (events ?? []).map((Code): InstanceStatusEvent => ({ Code: Code as InstanceStatusEvent['Code'] })),
  };
}
