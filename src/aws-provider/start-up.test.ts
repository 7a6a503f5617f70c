import { afterEach, describe, expect, test } from 'vitest';
import { AwsEnvironment, type AwsEnvironmentOptions } from '../../test/aws/aws-environment.ts';
import { awsError, scriptedApi } from '../../test/aws/scripted-api.ts';
import { TestEnvironment } from '../../test/environment.ts';
import type { KubeObject } from '../kube/objects.ts';
import { Services } from '../kube/resources.ts';
import { SILENT } from '../logging/logger.ts';
import type { ArcZonalShiftApi, Ec2Api, EksApi } from './aws-api/apis.ts';
import { type AwsOptions, DEFAULT_AWS_OPTIONS } from './aws-options.ts';
import { startUp } from './start-up.ts';
import { StartUpError } from './start-up-error.ts';

const DRY_RUN: Partial<Ec2Api> = {
  describeInstanceTypes: async () => {
    throw awsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
  },
};

async function start(
  options: Partial<AwsOptions>,
  answers: { readonly ec2?: Partial<Ec2Api>; readonly eks?: Partial<EksApi>; readonly arc?: Partial<ArcZonalShiftApi> },
  dns?: string,
) {
  const env = await TestEnvironment.open();
  if (dns !== undefined) {
    const service = {
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
      spec: { clusterIP: dns, ports: [{ port: 53, protocol: 'UDP' }] },
    };
    await env.client.create(Services, service as KubeObject);
  }
  const eks = scriptedApi<EksApi>(answers.eks ?? {});
  const apis = {
    ec2: scriptedApi<Ec2Api>(answers.ec2 ?? DRY_RUN).api,
    eks: eks.api,
    arcZonalShift: scriptedApi<ArcZonalShiftApi>(answers.arc ?? {}).api,
  };
  const all = { ...DEFAULT_AWS_OPTIONS, clusterName: 'demo', ...options };
  try {
    return await startUp({ apis, client: env.client, log: SILENT, options: all, clusterCA: 'PEM' });
  } finally {
    await env.close();
  }
}

const cluster = { endpoint: 'https://eks.example.com', arn: 'arn:aws:eks:us-east-1:1:cluster/demo' };
const EKS: Partial<EksApi> = { describeCluster: async () => ({ cluster }) };

test('1.3: EC2 is asked by a dry run, whose answer is an error that means success', async () => {
  const denied = awsError('UnauthorizedOperation', 'You are not authorized to perform this operation.', 403);
  const ec2: Partial<Ec2Api> = { describeInstanceTypes: async () => await Promise.reject(denied) };
  await expect(start({}, { ec2, eks: EKS })).rejects.toThrow(
    'ec2 api connectivity check failed, You are not authorized to perform this operation.',
  );
});

test('1.4: the endpoint is the option, or else what EKS says', async () => {
  expect((await start({}, { eks: EKS })).clusterEndpoint).toBe('https://eks.example.com');
  expect((await start({ clusterEndpoint: 'https://own.example.com' }, {})).clusterEndpoint).toBe(
    'https://own.example.com',
  );
  const eks: Partial<EksApi> = {
    describeCluster: async () => await Promise.reject(awsError('ResourceNotFoundException', 'No cluster found', 404)),
  };
  await expect(start({}, { eks })).rejects.toThrow('failed to resolve cluster endpoint, No cluster found');
});

test('1.5: the address of kube-dns is the service’s, and missing it is no reason to stop', async () => {
  expect((await start({}, { eks: EKS }, '10.0.0.10')).kubeDNSIP).toBe('10.0.0.10');
  expect((await start({}, { eks: EKS })).kubeDNSIP).toBeUndefined();
  expect((await start({}, { eks: EKS }, 'None')).kubeDNSIP).toBeUndefined();
});

test('1.6: zonal shifts are followed only of a cluster that is registered for them', async () => {
  const arc: Partial<ArcZonalShiftApi> = { getManagedResource: async () => ({}) };
  const found = await start({ enableZonalShift: true }, { eks: EKS, arc });
  expect(found.clusterArn).toBe(cluster.arn);
  const missing: Partial<ArcZonalShiftApi> = {
    getManagedResource: async () => await Promise.reject(awsError('ResourceNotFoundException', 'not registered', 404)),
  };
  await expect(start({ enableZonalShift: true }, { eks: EKS, arc: missing })).rejects.toThrow(
    /Unable to find Cluster demo in Zonal Shift.*not registered/,
  );
});

test('1.8: the authority is the option, or else that of this program’s own connection', async () => {
  expect((await start({}, { eks: EKS })).caBundle).toBe(Buffer.from('PEM').toString('base64'));
  expect((await start({ clusterCABundle: 'b3RoZXI=' }, { eks: EKS })).caBundle).toBe('b3RoZXI=');
});

describe('1: a provider that is opened', () => {
  let world: AwsEnvironment;
  afterEach(async () => await world.close());

  const open = async (options: AwsEnvironmentOptions, failing?: string): Promise<string> => {
    world = await AwsEnvironment.open(options);
    if (failing) world.aws.calls.fail(failing, awsError('InternalError', 'oh', 500));
    try {
      await world.provider();
      return '';
    } catch (error) {
      return error instanceof StartUpError ? error.message : `no StartUpError: ${error}`;
    }
  };

  test.each([
    ['7', 'describeCluster', "can't load kubernetes version, validating kubernetes version, oh"],
    ['9', 'describeInstanceTypeOfferings', "can't load instance type offerings, "],
  ])('1.%s: has to know what %s tells', async (_, call, problem) => {
    expect(await open({ aws: { eksControlPlane: true, clusterEndpoint: 'https://own.example.com' } }, call)).toContain(
      problem,
    );
  });

  test('1.3 to 1.9: asks in upstream’s order, and sells what EC2 does at once', async () => {
    expect(await open({ aws: { eksControlPlane: true } })).toBe('');
    expect(world.aws.calls.all.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1])).toEqual([
      'describeInstanceTypes',
      'describeCluster',
      'describeInstanceTypes',
      'describeInstanceTypeOfferings',
    ]);
  });

  test('1.11: the EBS driver’s label for zones is another name of the usual one', async () => {
    await open({});
    const { cloud } = await world.provider();
    expect(cloud.normalizedLabels).toEqual({ 'topology.ebs.csi.aws.com/zone': 'topology.kubernetes.io/zone' });
  });

  /** As operatorpkg names them, and one of ours. */
  const ALWAYS = [
    ...['capacityreservation.capacitytype', 'capacityreservation.expiration', 'cloudprovider.metrics'],
    ...[
      'instance.garbagecollection',
      'interruption.instancestatus',
      'nodeclaim.tagging',
      'nodeclass',
      'nodeclass.hash',
    ],
    ...['nodeclass.soldout', 'operatorpkg.ec2nodeclass.status', 'providers.instancetype'],
    ...['providers.instancetype.capacity', 'providers.pricing', 'providers.ssm.invalidation', 'providers.version'],
    'zonalshift',
  ];

  test.each<[string, AwsEnvironmentOptions['aws'], readonly string[]]>([
    ['as usual', {}, ['instanceprofile.garbagecollection']],
    ['without a way to IAM', { isolatedVPC: true }, []],
    ['with a queue', { interruptionQueue: 'q' }, ['instanceprofile.garbagecollection', 'interruption']],
  ])('26: brings upstream’s controllers %s', async (_, options, more) => {
    await open({ ...(options ? { aws: options } : {}) });
    const { operator } = await world.startOperator();
    const core = new Set(world.env.startOperator({}, { providerControllers: () => [] }).operator.controllers);
    expect(operator.controllers.filter((name) => !core.has(name)).sort()).toEqual([...ALWAYS, ...more].sort());
  });
});
