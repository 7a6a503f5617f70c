import type { Image } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeAws, fakeAws } from '../../../../test/aws/fake-ec2.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { causeOf } from '../../../cloudprovider/errors.ts';
import { type Logger, SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { AMISelectorTerm } from '../../apis/ec2-node-class.ts';
import { DefaultSsmProvider } from '../ssm/ssm-provider.ts';
import { DefaultAmiProvider } from './ami-provider.ts';
import { UnsupportedAliasError } from './unsupported-alias-error.ts';

const MINUTE_MS = 60_000;
const ARCH = 'kubernetes.io/arch';
const GPU = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATOR = 'karpenter.k8s.aws/instance-accelerator-count';

let clock: VirtualClock;
let aws: FakeAws;
let amis: DefaultAmiProvider;
let kubernetes: string;
let logged: unknown[];

beforeEach(() => {
  clock = new VirtualClock();
  aws = fakeAws(clock);
  kubernetes = '1.34';
  logged = [];
  const log: Logger = { ...SILENT, error: (message, _error, fields) => logged.push([message, fields]) };
  const ssm = new DefaultSsmProvider({ ssm: aws.apis.ssm, clock, log });
  const options = { amiRefreshIntervalMs: MINUTE_MS };
  amis = new DefaultAmiProvider({ ec2: aws.apis.ec2, ssm, version: { get: () => kubernetes }, clock, log, options });
});

const classOf = (...amiSelectorTerms: AMISelectorTerm[]) =>
  ec2NodeClass({ metadata: { uid: 'uid', generation: 1 }, spec: { amiSelectorTerms } });
const list = (...terms: AMISelectorTerm[]) => amis.list(classOf(...terms));
const parameters = () => aws.calls.inputs<{ Name: string }>('getParameter').map(({ Name }) => Name);
const queries = () => aws.calls.inputs('describeImages');

/** Requirements in short: `amd64`, and with which accelerators. */
const shortly = (found: Awaited<ReturnType<typeof list>>) =>
  found.map(({ id, requirements }) => [
    id,
    ...requirements.map(({ key, operator, values }) => values?.join() ?? `${operator} ${key}`),
  ]);

describe('9: an alias', () => {
  test('of AL2023 finds the images of both architectures and all accelerators', async () => {
    expect(shortly(await list({ alias: 'al2023@latest' }))).toEqual([
      ['ami-al2023-arm64-nvidia', `Exists ${GPU}`, 'arm64'],
      ['ami-al2023-arm64-standard', `DoesNotExist ${ACCELERATOR}`, `DoesNotExist ${GPU}`, 'arm64'],
      ['ami-al2023-x8664-neuron', `Exists ${ACCELERATOR}`, 'amd64'],
      ['ami-al2023-x8664-nvidia', `Exists ${GPU}`, 'amd64'],
      ['ami-al2023-x8664-standard', `DoesNotExist ${ACCELERATOR}`, `DoesNotExist ${GPU}`, 'amd64'],
    ]);
    expect(queries()).toEqual([
      {
        Filters: [
          { Name: 'image-id', Values: expect.arrayContaining(['ami-al2023-x8664-standard']) },
          { Name: 'state', Values: ['available'] },
        ],
        IncludeDeprecated: true,
        MaxResults: 1000,
      },
    ]);
  });

  test('of a version looks for that version', async () => {
    expect(await list({ alias: 'al2023@v20260101' })).toHaveLength(5);
    expect(parameters()).toContain(
      '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.34-v20260101/image_id',
    );
  });

  test('of Bottlerocket serves Neuron with the image for machines without accelerators', async () => {
    expect(shortly(await list({ alias: 'bottlerocket@v1.50.0' }))).toEqual([
      ['ami-bottlerocket-arm64', `DoesNotExist ${ACCELERATOR}`, `DoesNotExist ${GPU}`, 'arm64'],
      ['ami-bottlerocket-arm64-nvidia', `Exists ${GPU}`, 'arm64'],
      ['ami-bottlerocket-x8664', `DoesNotExist ${ACCELERATOR}`, `DoesNotExist ${GPU}`, 'amd64'],
      ['ami-bottlerocket-x8664', `Exists ${ACCELERATOR}`, 'amd64'],
      ['ami-bottlerocket-x8664-nvidia', `Exists ${GPU}`, 'amd64'],
    ]);
  });

  test('of Windows asks nodes for its build', async () => {
    expect(shortly(await list({ alias: 'windows2022@latest' }))).toEqual([
      ['ami-windows2022', 'windows', '10.0.20348', 'amd64'],
    ]);
  });

  test('of AL2 finds one image for all accelerators', async () => {
    kubernetes = '1.32';
    const folder = '/aws/service/eks/optimized-ami/1.32';
    aws.cloud.parameters.set(`${folder}/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20250101/image_id`, 'ami-own');
    expect(shortly(await list({ alias: 'al2@v20250101' }))).toEqual([
      ['ami-own', `Exists ${ACCELERATOR}`, 'amd64'],
      ['ami-own', `Exists ${GPU}`, 'amd64'],
    ]);
    expect(parameters()).toEqual([
      `${folder}/amazon-linux-2/amazon-eks-node-1.32-v20250101/image_id`,
      `${folder}/amazon-linux-2-arm64/amazon-eks-arm64-node-1.32-v20250101/image_id`,
      `${folder}/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20250101/image_id`,
    ]);
  });

  test('leaves out images that are not published, unless that is all of them', async () => {
    aws.cloud.parameters.delete(
      '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/recommended/image_id',
    );
    expect(await list({ alias: 'al2023@latest' })).toHaveLength(4);
    await expect(list({ alias: 'al2023@v1' })).rejects.toThrow(
      'getting AMI queries, failed to discover any AMIs for alias (alias=al2023@v1)',
    );
  });

  test('has no image when none of its parameters can be read, for whatever reason', async () => {
    aws.calls.forbid('getParameter');
    await expect(list({ alias: 'al2023@latest' })).rejects.toThrow(
      'getting AMI queries, failed to discover any AMIs for alias (alias=al2023@latest)',
    );
    expect(queries()).toEqual([]);
  });

  test('is not found at all while one of its parameters can not be told, lest nodes of that image drift', async () => {
    for (const error of [
      awsError('ThrottlingException'),
      awsError('InternalServerError', 'x', 500),
      new Error('cut'),
    ]) {
      aws.calls.fail('getParameter', error, 1);
      await expect(list({ alias: 'al2023@latest' })).rejects.toThrow(error.message);
      expect(await list({ alias: 'al2023@latest' })).toHaveLength(5);
      await clock.advance(25 * 60 * MINUTE_MS);
    }
  });

  test('is looked for page by page', async () => {
    aws.cloud.pageLimit = 2;
    expect(await list({ alias: 'al2023@latest' })).toHaveLength(5);
    expect(queries()).toHaveLength(3);
  });

  test.each([
    ['al2@latest', '1.33', 'AL2 aliases are no longer supported on EKS 1.33+'],
    ['windows2025@latest', '1.34', 'Windows Server 2025 requires EKS version 1.35 or higher, current version: 1.34'],
  ])('of a family that the cluster is not for is refused: %s on %s', async (alias, version, message) => {
    kubernetes = version;
    const error: unknown = await list({ alias }).catch((thrown: unknown) => thrown);
    expect(causeOf(error, UnsupportedAliasError)?.message).toContain(message);
  });
});

describe('9: terms', () => {
  test('ids and parameters are asked for together, each name and set of tags alone', async () => {
    aws.cloud.parameters.set('/own/image', 'ami-windows2019');
    aws.cloud.parameters.set('/own/other', 'no image');
    await list(
      { id: 'ami-1' },
      { name: 'image-*' },
      { name: 'shared', owner: '123456789012' },
      { tags: { team: 'platform', any: '*' } },
      { ssmParameter: '/own/image' },
      { ssmParameter: '/own/other' },
      { ssmParameter: '/own/missing' },
    );
    expect(queries().map(({ Filters, Owners }) => [Owners, ...(Filters as object[]).slice(0, -1)])).toEqual([
      [['self', 'amazon'], { Name: 'name', Values: ['image-*'] }],
      [['123456789012'], { Name: 'name', Values: ['shared'] }],
      [undefined, { Name: 'tag:team', Values: ['platform'] }, { Name: 'tag-key', Values: ['any'] }],
      [undefined, { Name: 'image-id', Values: ['ami-1', 'ami-windows2019'] }],
    ]);
    expect(logged).toEqual([
      ['parameter value is an invalid AMI ID', { ssmParameter: '/own/other', id: 'no image' }],
      ['parameter not found', { ssmParameter: '/own/missing' }],
    ]);
  });

  test('a parameter that can’t be read is an error', async () => {
    aws.calls.fail('getParameter', awsError('AccessDeniedException', 'no'));
    await expect(list({ ssmParameter: '/own' })).rejects.toThrow(
      'getting AMI queries, resolving ssm parameter, getting ssm parameter, no (parameter=/own)',
    );
  });
});

describe('9: of images for the same nodes', () => {
  const image = (ImageId: string, created: string, more: Partial<Image> = {}): Image => ({
    ImageId,
    Name: ImageId,
    Architecture: 'x86_64',
    State: 'available',
    CreationDate: `2025-${created}T00:00:00.000Z`,
    Tags: [{ Key: 'a', Value: 'b' }],
    ...more,
  });
  const chosen = async (...images: Image[]) => {
    aws.cloud.images = images;
    return (await list({ tags: { a: 'b' } })).map(({ id, deprecated }) => (deprecated ? `${id} deprecated` : id));
  };

  test('the newest is taken', async () => {
    expect(await chosen(image('old', '01-01'), image('new', '03-01'), image('middle', '02-01'))).toEqual(['new']);
  });

  test('a deprecated one only when all are', async () => {
    const deprecated = { DeprecationTime: '2025-12-31T00:00:00.000Z' };
    expect(await chosen(image('old', '01-01'), image('new', '03-01', deprecated))).toEqual(['old']);
    await clock.advance(MINUTE_MS);
    const both = [image('old', '01-01', deprecated), image('new', '03-01', deprecated)];
    expect(await chosen(...both)).toEqual(['new deprecated']);
  });

  test('one is deprecated from the time on that it is to be', async () => {
    const at = (time: string) => ({ DeprecationTime: time });
    expect(await chosen(image('now', '01-01', at('2026-01-01T00:00:00.000Z')))).toEqual(['now deprecated']);
    await clock.advance(MINUTE_MS);
    expect(await chosen(image('soon', '01-01', at('2026-01-01T00:01:01.000Z')))).toEqual(['soon']);
  });

  test('of two of one time the one whose name comes last', async () => {
    const names = [
      image('1', '01-01', { Name: 'a' }),
      image('2', '01-01', { Name: 'c' }),
      image('3', '01-01', { Name: 'b' }),
    ];
    expect(await chosen(...names)).toEqual(['2']);
  });

  test('other architectures are other nodes, or none', async () => {
    const arm = image('arm', '02-01', { Architecture: 'arm64' });
    const mac = image('mac', '02-01', { Architecture: 'x86_64_mac' });
    expect(await chosen(image('x', '01-01'), arm, mac)).toEqual(['arm', 'x']);
  });
});

test('3: images are asked for once in a while, and at once when the class is edited', async () => {
  const nodeClass = classOf({ id: 'ami-own' });
  const [first] = await Promise.all([amis.list(nodeClass), amis.list(nodeClass)]);
  expect(first).toMatchObject([{ id: 'ami-own', requirements: [{ key: ARCH, operator: 'In', values: ['amd64'] }] }]);
  await clock.advance(MINUTE_MS - 1);
  await amis.list(nodeClass);
  expect(queries()).toHaveLength(1);
  await clock.advance(1);
  await amis.list(nodeClass);
  expect(queries()).toHaveLength(2);
  await amis.list({ ...nodeClass, metadata: { ...nodeClass.metadata, generation: 2 } });
  expect(queries()).toHaveLength(3);
});
