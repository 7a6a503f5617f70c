import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../apis.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** EC2, over the SDK. */
export function connectEc2(deps: ServiceDeps): Ec2Api {
  const call = serviceCalls(EC2Client, deps);
  return {
    describeInstanceTypes: call(DescribeInstanceTypesCommand),
    describeInstanceTypeOfferings: call(DescribeInstanceTypeOfferingsCommand),
    describeSubnets: call(DescribeSubnetsCommand),
    describeSecurityGroups: call(DescribeSecurityGroupsCommand),
    describeImages: call(DescribeImagesCommand),
    describeLaunchTemplates: call(DescribeLaunchTemplatesCommand),
    createLaunchTemplate: call(CreateLaunchTemplateCommand),
    deleteLaunchTemplate: call(DeleteLaunchTemplateCommand),
    createFleet: call(CreateFleetCommand),
    runInstances: call(RunInstancesCommand),
    describeInstances: call(DescribeInstancesCommand),
    describeInstanceStatus: call(DescribeInstanceStatusCommand),
    terminateInstances: call(TerminateInstancesCommand),
    createTags: call(CreateTagsCommand),
    describeSpotPriceHistory: call(DescribeSpotPriceHistoryCommand),
    describeCapacityReservations: call(DescribeCapacityReservationsCommand),
    describePlacementGroups: call(DescribePlacementGroupsCommand),
  };
}
