import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DefinitionsApi, type Fields } from '../../../../test/aws/definitions-api.ts';
import { Ec2NodeClasses } from '../ec2-node-class.ts';

let api: DefinitionsApi;

beforeAll(async () => {
  api = await DefinitionsApi.open();
});

afterAll(() => api.close());

const BASE: Fields = {
  role: 'node-role',
  subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'c' } }],
  securityGroupSelectorTerms: [{ id: 'sg-0a1' }],
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
};

const many = (length: number, item: unknown): readonly unknown[] => Array.from({ length }, () => item);
const ebs = (fields: Fields): Fields => ({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: fields }] });
const card = (networkCardIndex: number, deviceIndex: number, interfaceType: string): Fields => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});

test('a class gets the defaults of its metadata options', async () => {
  const defaults = {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  };
  expect((await api.create(Ec2NodeClasses, BASE)).spec.metadataOptions).toEqual(defaults);
  const some = await api.create(Ec2NodeClasses, { ...BASE, metadataOptions: { httpTokens: 'optional' } });
  expect(some.spec.metadataOptions).toEqual({ ...defaults, httpTokens: 'optional' });
});

test('kubelet settings are kept as they are written, whatever they are', async () => {
  const kubelet = { maxPods: 'vcpus * 8', featureGates: { A: true }, made: { up: [1, 'two', null] } };
  expect((await api.create(Ec2NodeClasses, { ...BASE, kubelet })).spec.kubelet).toEqual(kubelet);
  expect(await api.refusal(Ec2NodeClasses, { ...BASE, kubelet: 'text' })).toContain('spec.kubelet');
});

describe('the API takes a class with', () => {
  test.each<[string, Fields]>([
    ['an instance profile', { role: undefined, instanceProfile: 'p' }],
    [
      'a family and images by id',
      { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }, { name: 'n', owner: 'self' }] },
    ],
    ['an SSM parameter', { amiFamily: 'AL2', amiSelectorTerms: [{ ssmParameter: '/p' }] }],
    ['the family of its alias', { amiFamily: 'AL2023' }],
    ['a custom family with an alias', { amiFamily: 'Custom' }],
    ['a Windows alias', { amiSelectorTerms: [{ alias: 'windows2025@latest' }] }],
    ['thirty terms', { subnetSelectorTerms: many(30, { id: 'subnet-1' }) }],
    ['security groups by name', { securityGroupSelectorTerms: [{ name: 'a' }, { tags: { a: '*' } }] }],
    [
      'reservations',
      { capacityReservationSelectorTerms: [{ id: 'cr-1' }, { ownerID: '123456789012', tags: { a: 'b' } }] },
    ],
    ['a placement group', { placementGroupSelector: { name: 'g' } }],
    ['a volume from a snapshot', ebs({ snapshotID: 's', volumeInitializationRate: 100 })],
    ['a volume of 64 T', ebs({ volumeSize: '64T', volumeType: 'gp3' })],
    ['no interfaces of its own', { networkInterfaces: [] }],
    [
      'interfaces on two cards',
      { networkInterfaces: [card(0, 0, 'interface'), card(0, 1, 'efa-only'), card(1, 0, 'efa-only')] },
    ],
    ['a limit for connections', { connectionTracking: { udpTimeout: 30 } }],
    ['nested virtualization', { cpuOptions: { nestedVirtualization: 'enabled' } }],
    ['RAID0', { instanceStorePolicy: 'RAID0' }],
    ['tags of its own', { tags: { team: 'web', 'karpenter.sh/discovery': 'c' } }],
  ])('%s', async (_, change) => {
    expect(await api.refusal(Ec2NodeClasses, { ...BASE, ...change })).toBe('');
  });
});

describe('the API refuses a class with', () => {
  test.each<[string, Fields, string]>([
    ['no subnet term', { subnetSelectorTerms: [] }, 'subnetSelectorTerms cannot be empty'],
    ['an empty subnet term', { subnetSelectorTerms: [{}] }, "expected at least one, got none, ['tags', 'id']"],
    [
      'a subnet by id and tags',
      { subnetSelectorTerms: [{ id: 'subnet-1', tags: { a: 'b' } }] },
      "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term",
    ],
    ['a subnet id of another form', { subnetSelectorTerms: [{ id: 'sn-1' }] }, 'subnet-[0-9a-z]+'],
    ['31 terms', { subnetSelectorTerms: many(31, { id: 'subnet-1' }) }, 'must have at most 30 items'],
    [
      'a tag without value',
      { subnetSelectorTerms: [{ tags: { a: '' } }] },
      "empty tag keys or values aren't supported",
    ],
    ['no security group term', { securityGroupSelectorTerms: [] }, 'securityGroupSelectorTerms cannot be empty'],
    [
      'a security group by name and tags',
      { securityGroupSelectorTerms: [{ name: 'a', tags: { a: 'b' } }] },
      "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
    ],
    [
      'a security group by id and name',
      { securityGroupSelectorTerms: [{ id: 'sg-1', name: 'a' }] },
      "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
    ],
    [
      'a reservation by owner alone',
      { capacityReservationSelectorTerms: [{ ownerID: '123456789012' }] },
      "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']",
    ],
    [
      'a reservation by id and owner',
      { capacityReservationSelectorTerms: [{ id: 'cr-1', ownerID: '123456789012' }] },
      "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
    ],
    ['a short account', { capacityReservationSelectorTerms: [{ ownerID: '12', id: 'cr-1' }] }, '^[0-9]{12}$'],
    ['no image term', { amiSelectorTerms: [] }, 'amiSelectorTerms'],
    ['an image by owner alone', { amiFamily: 'AL2', amiSelectorTerms: [{ owner: 'self' }] }, 'expected at least one'],
    [
      'an image by id and owner',
      { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1', owner: 'self' }] },
      "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
    ],
    [
      'an alias and tags',
      { amiSelectorTerms: [{ alias: 'al2023@latest', tags: { a: 'b' } }] },
      "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
    ],
    [
      'an alias beside another term',
      { amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] },
      "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
    ],
    [
      'an alias without version',
      { amiSelectorTerms: [{ alias: 'al2023' }] },
      "'alias' is improperly formatted, must match the format 'family@version'",
    ],
    [
      'an alias of an unknown family',
      { amiSelectorTerms: [{ alias: 'ubuntu@1' }] },
      'family is not supported, must be one',
    ],
    [
      'a version of Windows',
      { amiSelectorTerms: [{ alias: 'windows2022@v1' }] },
      "windows families may only specify version 'latest'",
    ],
    ['a long alias', { amiSelectorTerms: [{ alias: `al2023@${'1'.repeat(24)}` }] }, '30'],
    ['neither alias nor family', { amiSelectorTerms: [{ id: 'ami-1' }] }, 'must specify amiFamily if'],
    [
      'a family that is not that of its alias',
      { amiFamily: 'AL2' },
      "if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias",
    ],
    [
      'a family beside a Bottlerocket alias',
      { amiFamily: 'AL2', amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] },
      "if set, amiFamily must be 'Bottlerocket' or 'Custom' when using a Bottlerocket alias",
    ],
    ['an unknown family', { amiFamily: 'Ubuntu' }, 'Unsupported value: "Ubuntu"'],
    ['role and instance profile', { instanceProfile: 'p' }, "must specify exactly one of ['role', 'instanceProfile']"],
    ['neither role nor profile', { role: undefined }, "must specify exactly one of ['role', 'instanceProfile']"],
    ['an empty role', { role: '' }, 'role cannot be empty'],
    ['an empty profile', { role: undefined, instanceProfile: '' }, 'instanceProfile cannot be empty'],
    ['a tag without key', { tags: { '': 'a' } }, "empty tag keys aren't supported"],
    ["EKS's tag", { tags: { 'eks:eks-cluster-name': 'a' } }, 'restricted tag matching eks:eks-cluster-name'],
    ["a cluster's tag", { tags: { 'kubernetes.io/cluster/a': 'b' } }, 'restricted tag matching kubernetes.io/cluster/'],
    ["the pool's tag", { tags: { 'karpenter.sh/nodepool': 'b' } }, 'restricted tag matching karpenter.sh/nodepool'],
    ["the claim's tag", { tags: { 'karpenter.sh/nodeclaim': 'b' } }, 'restricted tag matching karpenter.sh/nodeclaim'],
    [
      "the class's tag",
      { tags: { 'karpenter.k8s.aws/ec2nodeclass': 'b' } },
      'restricted tag matching karpenter.k8s.aws/ec2nodeclass',
    ],
    [
      'a placement group without name',
      { placementGroupSelector: {} },
      "expected at least one, got none, ['name', 'id']",
    ],
    [
      'a placement group by name and id',
      { placementGroupSelector: { name: 'a', id: 'pg-1' } },
      "'name' and 'id' are mutually exclusive",
    ],
    ['a volume without size', ebs({ volumeType: 'gp3' }), 'snapshotID or volumeSize must be defined'],
    [
      'an initialization rate without snapshot',
      ebs({ volumeSize: '1Gi', volumeInitializationRate: 100 }),
      'snapshotID must be set when volumeInitializationRate is set',
    ],
    ['an initialization rate of 99', ebs({ snapshotID: 's', volumeInitializationRate: 99 }), '100'],
    ['a volume in MiB', ebs({ volumeSize: '100Mi' }), 'volumeSize'],
    ['a volume of 65 T', ebs({ volumeSize: '65T' }), 'volumeSize'],
    [
      'two root volumes',
      { blockDeviceMappings: [{ rootVolume: true }, { rootVolume: true }] },
      'must have only one blockDeviceMappings with rootVolume',
    ],
    ['51 disks', { blockDeviceMappings: many(51, {}) }, 'must have at most 50 items'],
    [
      'no primary interface',
      { networkInterfaces: [card(0, 0, 'efa-only')] },
      "networkInterfaces must include a primary interface with interfaceType='interface'",
    ],
    [
      'two interfaces in one place',
      { networkInterfaces: [card(0, 0, 'interface'), card(0, 0, 'efa-only')] },
      'networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs',
    ],
    [
      'two EFA interfaces on one card',
      { networkInterfaces: [card(0, 0, 'interface'), card(1, 0, 'efa-only'), card(1, 1, 'efa-only')] },
      'can have at most one efa device per network card',
    ],
    ['no limit for connections', { connectionTracking: {} }, 'at least one of tcpEstablishedTimeout'],
    ['a limit that is too short', { connectionTracking: { udpTimeout: 29 } }, 'udpTimeout'],
    ['a hop limit of 65', { metadataOptions: { httpPutResponseHopLimit: 65 } }, '64'],
    ['fewer than no prefixes', { ipPrefixCount: -1 }, 'ipPrefixCount'],
  ])('%s', async (_, change, message) => {
    expect(await api.refusal(Ec2NodeClasses, { ...BASE, ...change })).toContain(message);
  });
});

describe('the API refuses a class whose values are out of bounds:', () => {
  const tags = (count: number): Fields =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`tag-${n}`, 'x']));
  const tracking = (fields: Fields): Fields => ({ connectionTracking: fields });
  const metadata = (fields: Fields): Fields => ({ metadataOptions: fields });
  const interfaces = (...items: readonly Fields[]): Fields => ({
    networkInterfaces: [card(0, 0, 'interface'), ...items],
  });
  const manyCards = Array.from({ length: 150 }, (_, n) => card(n + 1, 0, 'interface'));
  const family = (alias: string): Fields => ({ amiFamily: 'AL2023', amiSelectorTerms: [{ alias: `${alias}@latest` }] });
  const of = (term: Fields): Fields => ({ amiFamily: 'AL2', amiSelectorTerms: [term] });
  const all: readonly (readonly [string, Fields])[] = [
    ['subnetSelectorTerms: Required', { subnetSelectorTerms: undefined }],
    ['securityGroupSelectorTerms: Required', { securityGroupSelectorTerms: undefined }],
    ['amiSelectorTerms: Required', { amiSelectorTerms: undefined }],
    ['amiSelectorTerms in body should have at least 1 items', { amiSelectorTerms: [] }],
    ['amiSelectorTerms: Too many: 31', { amiFamily: 'AL2', amiSelectorTerms: many(31, { id: 'ami-1' }) }],
    ['securityGroupSelectorTerms: Too many: 31', { securityGroupSelectorTerms: many(31, { id: 'sg-1' }) }],
    ['capacityReservationSelectorTerms: Too many: 31', { capacityReservationSelectorTerms: many(31, { id: 'cr-1' }) }],
    ['networkInterfaces: Too many: 151', interfaces(...manyCards)],
    ["should match 'ami-[0-9a-z]+'", of({ id: 'ami_1' })],
    ["should match 'sg-[0-9a-z]+'", { securityGroupSelectorTerms: [{ id: 'sg_1' }] }],
    ["should match '^cr-[0-9a-z]+$'", { capacityReservationSelectorTerms: [{ id: 'x-cr-1' }] }],
    ["should match '^pg-[0-9a-z]+$'", { placementGroupSelector: { id: 'pg-A' } }],
    ['placementGroupSelector.name in body should be at least 1 chars long', { placementGroupSelector: { name: '' } }],
    ['subnetSelectorTerms[0].tags: Too many: 21', { subnetSelectorTerms: [{ tags: tags(21) }] }],
    ['securityGroupSelectorTerms[0].tags: Too many: 21', { securityGroupSelectorTerms: [{ tags: tags(21) }] }],
    ['capacityReservationSelectorTerms[0].tags: Too many', { capacityReservationSelectorTerms: [{ tags: tags(21) }] }],
    ['amiSelectorTerms[0].tags: Too many: 21', of({ tags: tags(21) })],
    ['securityGroupSelectorTerms[0].tags: Invalid', { securityGroupSelectorTerms: [{ tags: { '': 'x' } }] }],
    ['capacityReservationSelectorTerms[0].tags: Inv', { capacityReservationSelectorTerms: [{ tags: { a: '' } }] }],
    ['amiSelectorTerms[0].tags: Invalid', of({ tags: { a: '' } })],
    ["expected at least one, got none, ['tags', 'id', 'name']", { securityGroupSelectorTerms: [{}] }],
    ['Criteria: Unsupported value: "x"', { capacityReservationSelectorTerms: [{ instanceMatchCriteria: 'x' }] }],
    ["if set, amiFamily must be 'AL2' or 'Custom' when using an AL2 alias", family('al2')],
    ["if set, amiFamily must be 'Windows2019' or 'Custom' when using a Windows2019 alias", family('windows2019')],
    ["if set, amiFamily must be 'Windows2022' or 'Custom' when using a Windows2022 alias", family('windows2022')],
    ["if set, amiFamily must be 'Windows2025' or 'Custom' when using a Windows2025 alias", family('windows2025')],
    ['Rate in body should be less than or equal to 300', ebs({ snapshotID: 's', volumeInitializationRate: 301 })],
    ['volumeType: Unsupported value: "gp1"', ebs({ volumeSize: '1Gi', volumeType: 'gp1' })],
    ['tcpEstablishedTimeout in body should be greater than or equal to 60', tracking({ tcpEstablishedTimeout: 59 })],
    ['tcpEstablishedTimeout in body should be less than or equal', tracking({ tcpEstablishedTimeout: 432_001 })],
    ['udpStreamTimeout in body should be greater than or equal to 60', tracking({ udpStreamTimeout: 59 })],
    ['udpStreamTimeout in body should be less than or equal to 180', tracking({ udpStreamTimeout: 181 })],
    ['udpTimeout in body should be less than or equal to 60', tracking({ udpTimeout: 61 })],
    ['nestedVirtualization: Unsupported value: "on"', { cpuOptions: { nestedVirtualization: 'on' } }],
    ['instanceStorePolicy: Unsupported value: "RAID1"', { instanceStorePolicy: 'RAID1' }],
    ['httpEndpoint: Unsupported value: "on"', metadata({ httpEndpoint: 'on' })],
    ['httpProtocolIPv6: Unsupported value: "on"', metadata({ httpProtocolIPv6: 'on' })],
    ['httpTokens: Unsupported value: "on"', metadata({ httpTokens: 'on' })],
    ['httpPutResponseHopLimit in body should be greater than or equal to 1', metadata({ httpPutResponseHopLimit: 0 })],
    ['networkInterfaces[1].deviceIndex: Required', interfaces({ networkCardIndex: 1, interfaceType: 'interface' })],
    ['networkInterfaces[1].networkCardIndex: Req', interfaces({ deviceIndex: 1, interfaceType: 'interface' })],
    ['networkInterfaces[1].interfaceType: Required', interfaces({ networkCardIndex: 1, deviceIndex: 0 })],
    ['networkInterfaces[1].deviceIndex in body should be greater', interfaces(card(0, -1, 'interface'))],
    ['networkInterfaces[1].networkCardIndex in body should be', interfaces(card(-1, 0, 'interface'))],
    ['interfaceType: Unsupported value: "efa"', interfaces(card(1, 0, 'efa'))],
  ];
  test.each(all)('%s', async (message, change) => {
    expect(await api.refusal(Ec2NodeClasses, { ...BASE, ...change })).toContain(message);
  });
});
