import type { AwsApis } from '../../src/aws-provider/aws-api/apis.ts';
import type { Entry } from './moto/server.ts';

/** A run over HTTP that makes a call: test/aws/story, or test/aws/upstream. */
export type Run = 'story' | 'worlds';

type Calls = { readonly [Service in keyof AwsApis]: { readonly [Call in keyof AwsApis[Service]]: readonly Run[] } };

const BOTH = ['story', 'worlds'] as const;

/** Every call of AWS that the controller makes (aws-provider.md section 33), and the runs in which it is made. */
export const CALLS: Calls = {
  ec2: {
    describeInstanceTypes: BOTH,
    describeInstanceTypeOfferings: BOTH,
    describeSubnets: BOTH,
    describeSecurityGroups: BOTH,
    describeImages: BOTH,
    describeLaunchTemplates: BOTH,
    createLaunchTemplate: BOTH,
    deleteLaunchTemplate: ['story'],
    createFleet: BOTH,
    runInstances: BOTH,
    describeInstances: BOTH,
    describeInstanceStatus: BOTH,
    terminateInstances: ['story'],
    createTags: ['story'],
    describeSpotPriceHistory: BOTH,
    describeCapacityReservations: ['worlds'],
    describePlacementGroups: ['worlds'],
  },
  iam: {
    getInstanceProfile: BOTH,
    createInstanceProfile: BOTH,
    addRoleToInstanceProfile: BOTH,
    removeRoleFromInstanceProfile: ['story'],
    deleteInstanceProfile: ['story'],
    listInstanceProfiles: BOTH,
  },
  eks: { describeCluster: BOTH },
  ssm: { getParameter: BOTH },
  pricing: { getProducts: BOTH },
  sqs: { getQueueUrl: ['story'], receiveMessage: ['story'], deleteMessage: ['story'] },
  arcZonalShift: { getManagedResource: ['story'] },
};

/** Those whose answers AWS gives in pages; moto gives one, so that test/aws/paging.test.ts asks the account in process. */
export const PAGED_CALLS: readonly string[] = [
  'describeInstanceTypes',
  'describeInstanceTypeOfferings',
  'describeSubnets',
  'describeSecurityGroups',
  'describeImages',
  'describeLaunchTemplates',
  'describeInstances',
  'describeInstanceStatus',
  'describeSpotPriceHistory',
  'describeCapacityReservations',
  'listInstanceProfiles',
  'getProducts',
] satisfies readonly { [Service in keyof AwsApis]: keyof AwsApis[Service] }[keyof AwsApis][];

/** How IAM names services that we name otherwise. */
const IAM_NAMES: Readonly<Record<string, string>> = { arcZonalShift: 'arc-zonal-shift' };

/** The action of IAM's that a call takes, for example `ec2:CreateFleet`. */
export function actionOf(service: string, call: string): string {
  return `${IAM_NAMES[service] ?? service}:${call.charAt(0).toUpperCase()}${call.slice(1)}`;
}

/** All calls with their runs, in the order of the table. */
export function allCalls(): readonly {
  readonly service: string;
  readonly call: string;
  readonly runs: readonly Run[];
}[] {
  return Object.entries(CALLS).flatMap(([service, calls]) =>
    Object.entries<readonly Run[]>(calls).map(([call, runs]) => ({ service, call, runs })),
  );
}

/** How what a run has asked of AWS is other than the table says. */
export function unexpectedCalls(run: Run, journal: readonly Entry[]): readonly string[] {
  const made = new Set(journal.map(({ service, action }) => `${service}:${action}`));
  const told = new Map(allCalls().map(({ service, call, runs }) => [actionOf(service, call), runs]));
  return [
    ...[...made].filter((action) => !told.has(action)).map((action) => `${action} is in no table of calls`),
    ...[...told].flatMap(([action, runs]) =>
      runs.includes(run) && !made.has(action) ? [`${action} was not called`] : [],
    ),
  ];
}
