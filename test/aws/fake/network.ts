import type { Ec2Api } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';
import { fromTags, passes } from './filters.ts';
import { pageOf } from './paging.ts';

type NetworkCalls = Pick<
  Ec2Api,
  | 'describeSubnets'
  | 'describeSecurityGroups'
  | 'describeImages'
  | 'describeCapacityReservations'
  | 'describePlacementGroups'
>;

/** Whatever is found by filters alone. */
export function networkCalls(cloud: FakeCloud): NetworkCalls {
  return {
    describeSubnets: async (input) => {
      const found = cloud.subnets.filter(({ SubnetId, VpcId, Tags }) =>
        passes(input.Filters, { 'subnet-id': [SubnetId], 'vpc-id': [VpcId] }, fromTags(Tags)),
      );
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { Subnets: items.map((subnet) => ({ ...subnet })), ...next };
    },
    describeSecurityGroups: async (input) => {
      const found = cloud.securityGroups.filter(({ GroupId, GroupName, Tags }) =>
        passes(input.Filters, { 'group-id': [GroupId], 'group-name': [GroupName] }, fromTags(Tags)),
      );
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { SecurityGroups: items, ...next };
    },
    describeImages: async (input) => {
      const found = cloud.images.filter((image) => {
        const owners = [image.OwnerId, image.ImageOwnerAlias, ...(image.OwnerId === ACCOUNT ? ['self'] : [])];
        const isDeprecated = image.DeprecationTime && Date.parse(image.DeprecationTime) <= cloud.clock.now();
        return (
          (!input.Owners?.length || input.Owners.some((owner) => owners.includes(owner))) &&
          (!input.ImageIds?.length || input.ImageIds.includes(image.ImageId ?? '')) &&
          (input.IncludeDeprecated || !isDeprecated) &&
          passes(
            input.Filters,
            {
              'image-id': [image.ImageId],
              name: [image.Name],
              state: [image.State],
              architecture: [image.Architecture],
            },
            fromTags(image.Tags),
          )
        );
      });
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { Images: items, ...next };
    },
    describeCapacityReservations: async (input) => {
      const ids = input.CapacityReservationIds ?? [];
      const missing = ids.find(
        (id) => !cloud.capacityReservations.some((reservation) => reservation.CapacityReservationId === id),
      );
      if (missing !== undefined) {
        throw awsError('InvalidCapacityReservationId.NotFound', `The capacity reservation ${missing} does not exist.`);
      }
      const found = cloud.capacityReservations.filter(
        (reservation) =>
          (ids.length === 0 || ids.includes(reservation.CapacityReservationId ?? '')) &&
          passes(
            input.Filters,
            {
              state: [reservation.State],
              'owner-id': [reservation.OwnerId],
              'instance-match-criteria': [reservation.InstanceMatchCriteria],
            },
            fromTags(reservation.Tags),
          ),
      );
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { CapacityReservations: items.map((reservation) => ({ ...reservation })), ...next };
    },
    describePlacementGroups: async (input) => {
      const missing = (input.GroupNames ?? []).find(
        (name) => !cloud.placementGroups.some(({ GroupName }) => GroupName === name),
      );
      if (missing !== undefined) {
        throw awsError('InvalidPlacementGroup.Unknown', `The Placement Group '${missing}' is unknown.`);
      }
      return {
        PlacementGroups: cloud.placementGroups.filter(
          (group) =>
            (!input.GroupIds?.length || input.GroupIds.includes(group.GroupId ?? '')) &&
            (!input.GroupNames?.length || input.GroupNames.includes(group.GroupName ?? '')) &&
            passes(input.Filters, { state: [group.State], strategy: [group.Strategy] }, fromTags(group.Tags)),
        ),
      };
    },
  };
}

export const ACCOUNT = '123456789012';
