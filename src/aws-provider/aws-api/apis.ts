import type * as Ec2 from '@aws-sdk/client-ec2';
import type * as Eks from '@aws-sdk/client-eks';
import type * as Iam from '@aws-sdk/client-iam';
import type * as Pricing from '@aws-sdk/client-pricing';
import type * as Sqs from '@aws-sdk/client-sqs';
import type * as Ssm from '@aws-sdk/client-ssm';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Not tried again, whatever the answer. */
  readonly once?: boolean;
}

/** One call of an AWS API. Rejects with the SDK's error, whose `name` is AWS's error code (`aws-api/error-code.ts`). */
export type Call<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>;

/** The calls of EC2 that the controller makes (aws-provider.md section 33). Lists answer one page. */
export interface Ec2Api {
  readonly describeInstanceTypes: Call<Ec2.DescribeInstanceTypesRequest, Ec2.DescribeInstanceTypesResult>;
  readonly describeInstanceTypeOfferings: Call<
    Ec2.DescribeInstanceTypeOfferingsRequest,
    Ec2.DescribeInstanceTypeOfferingsResult
  >;
  readonly describeSubnets: Call<Ec2.DescribeSubnetsRequest, Ec2.DescribeSubnetsResult>;
  readonly describeSecurityGroups: Call<Ec2.DescribeSecurityGroupsRequest, Ec2.DescribeSecurityGroupsResult>;
  readonly describeImages: Call<Ec2.DescribeImagesRequest, Ec2.DescribeImagesResult>;
  readonly describeLaunchTemplates: Call<Ec2.DescribeLaunchTemplatesRequest, Ec2.DescribeLaunchTemplatesResult>;
  readonly createLaunchTemplate: Call<Ec2.CreateLaunchTemplateRequest, Ec2.CreateLaunchTemplateResult>;
  readonly deleteLaunchTemplate: Call<Ec2.DeleteLaunchTemplateRequest, Ec2.DeleteLaunchTemplateResult>;
  readonly createFleet: Call<Ec2.CreateFleetRequest, Ec2.CreateFleetResult>;
  readonly runInstances: Call<Ec2.RunInstancesRequest, Ec2.Reservation>;
  readonly describeInstances: Call<Ec2.DescribeInstancesRequest, Ec2.DescribeInstancesResult>;
  readonly describeInstanceStatus: Call<Ec2.DescribeInstanceStatusRequest, Ec2.DescribeInstanceStatusResult>;
  readonly terminateInstances: Call<Ec2.TerminateInstancesRequest, Ec2.TerminateInstancesResult>;
  readonly createTags: Call<Ec2.CreateTagsRequest, unknown>;
  readonly describeSpotPriceHistory: Call<Ec2.DescribeSpotPriceHistoryRequest, Ec2.DescribeSpotPriceHistoryResult>;
  readonly describeCapacityReservations: Call<
    Ec2.DescribeCapacityReservationsRequest,
    Ec2.DescribeCapacityReservationsResult
  >;
  readonly describePlacementGroups: Call<Ec2.DescribePlacementGroupsRequest, Ec2.DescribePlacementGroupsResult>;
}

export interface IamApi {
  readonly getInstanceProfile: Call<Iam.GetInstanceProfileRequest, Iam.GetInstanceProfileResponse>;
  readonly createInstanceProfile: Call<Iam.CreateInstanceProfileRequest, Iam.CreateInstanceProfileResponse>;
  readonly addRoleToInstanceProfile: Call<Iam.AddRoleToInstanceProfileRequest, unknown>;
  readonly removeRoleFromInstanceProfile: Call<Iam.RemoveRoleFromInstanceProfileRequest, unknown>;
  readonly deleteInstanceProfile: Call<Iam.DeleteInstanceProfileRequest, unknown>;
  readonly listInstanceProfiles: Call<Iam.ListInstanceProfilesRequest, Iam.ListInstanceProfilesResponse>;
}

export interface EksApi {
  readonly describeCluster: Call<Eks.DescribeClusterRequest, Eks.DescribeClusterResponse>;
}

export interface SsmApi {
  readonly getParameter: Call<Ssm.GetParameterRequest, Ssm.GetParameterResult>;
}

export interface PricingApi {
  readonly getProducts: Call<Pricing.GetProductsRequest, Pricing.GetProductsResponse>;
}

export interface SqsApi {
  readonly getQueueUrl: Call<Sqs.GetQueueUrlRequest, Sqs.GetQueueUrlResult>;
  readonly receiveMessage: Call<Sqs.ReceiveMessageRequest, Sqs.ReceiveMessageResult>;
  readonly deleteMessage: Call<Sqs.DeleteMessageRequest, unknown>;
}

/** One shift of traffic away from a zone. */
export interface ZonalShiftSummary {
  /** A zone id, for example `use1-az4`. */
  readonly awayFrom: string;
  /** Epoch seconds. */
  readonly expiryTime: number;
  readonly appliedStatus?: string;
}

/** The part of ARC zonal shift's GetManagedResource that counts; no client of it is in the SDK's packages here. */
export interface ArcZonalShiftApi {
  readonly getManagedResource: Call<
    { readonly resourceIdentifier: string },
    { readonly zonalShifts?: readonly ZonalShiftSummary[] }
  >;
}

/** What is known of credentials without asking AWS. */
export interface CredentialFacts {
  /** Where they come from, in words. */
  readonly source: string;
  /** Epoch milliseconds; absent for those that last. */
  readonly expires?: number;
}

/** Who we are. Asked when trouble is looked for, never by the controller. */
export interface IdentityApi {
  readonly credentials: Call<Readonly<Record<string, never>>, CredentialFacts>;
  /** Needs no permission. */
  readonly getCallerIdentity: Call<Readonly<Record<string, never>>, { readonly arn: string; readonly account: string }>;
}

/** All of AWS that the provider talks to. */
export interface AwsApis {
  readonly ec2: Ec2Api;
  readonly iam: IamApi;
  readonly eks: EksApi;
  readonly ssm: SsmApi;
  readonly pricing: PricingApi;
  readonly sqs: SqsApi;
  readonly arcZonalShift: ArcZonalShiftApi;
}
