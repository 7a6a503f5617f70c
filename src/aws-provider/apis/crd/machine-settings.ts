import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import { flag, integer, rule, text } from './schema-words.ts';

/** What the launch template says of disks, network and the machine itself. */

const ebs: JsonSchema = {
  description: 'The EBS volume that is made for the device.',
  type: 'object',
  properties: {
    deleteOnTermination: flag('Whether the volume goes with the instance.'),
    encrypted: flag('Whether the volume is encrypted. Not for volumes from a snapshot.'),
    iops: integer('Operations per second: of gp3, io1 and io2 those that are provisioned.', 'int64'),
    kmsKeyID: text('The key that encrypts the volume: an id, an alias, or the ARN of one.'),
    snapshotID: text('The snapshot that the volume is made from.'),
    throughput: integer('MiB per second of a gp3 volume: 125 to 1000.', 'int64'),
    volumeInitializationRate: integer(
      'MiB per second at which the blocks of the snapshot are fetched. Needs a snapshot.',
      'int32',
      { minimum: 100, maximum: 300 },
    ),
    volumeSize: text('The size in `Gi`, `G`, `Ti` or `T`. A volume without a snapshot needs one.', {
      pattern:
        '^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$',
    }),
    volumeType: text('The type of the volume.', { enum: ['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3'] }),
  },
  'x-kubernetes-validations': [
    rule('snapshotID or volumeSize must be defined', 'has(self.snapshotID) || has(self.volumeSize)'),
    rule(
      'snapshotID must be set when volumeInitializationRate is set',
      "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
    ),
  ],
};

export const blockDeviceMappings: JsonSchema = {
  description: 'The disks of nodes, in place of those that are usual for the AMI family.',
  type: 'array',
  maxItems: 50,
  items: {
    type: 'object',
    properties: {
      deviceName: text('The name of the device, such as `/dev/xvda`.'),
      ebs,
      rootVolume: flag('Whether the kubelet keeps its files on this disk. One disk at most.'),
    },
  },
  'x-kubernetes-validations': [
    rule(
      'must have only one blockDeviceMappings with rootVolume',
      'self.filter(x, has(x.rootVolume)?x.rootVolume==true:false).size() <= 1',
    ),
  ],
};

export const networkInterfaces: JsonSchema = {
  description: 'The network interfaces of nodes, in place of the one that they have otherwise.',
  type: 'array',
  maxItems: 150,
  items: {
    type: 'object',
    required: ['deviceIndex', 'interfaceType', 'networkCardIndex'],
    properties: {
      deviceIndex: integer('The place of the interface on its card.', 'int32', { minimum: 0 }),
      interfaceType: text('An interface with IP, or one for EFA alone.', { enum: ['interface', 'efa-only'] }),
      networkCardIndex: integer('The card that the interface is on.', 'int32', { minimum: 0 }),
    },
  },
  'x-kubernetes-validations': [
    rule(
      "networkInterfaces must include a primary interface with interfaceType='interface'",
      "self.size() == 0 || self.exists(x, x.deviceIndex == 0 && x.networkCardIndex == 0 && x.interfaceType == 'interface')",
    ),
    rule(
      'networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can have at most one efa device per network card',
      "self.all(x, self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1 && (x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1))",
    ),
  ],
};

const ENABLED_OR_DISABLED = ['enabled', 'disabled'] as const;

export const metadataOptions: JsonSchema = {
  description: 'How nodes may ask for metadata of their instance.',
  type: 'object',
  default: {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
  properties: {
    httpEndpoint: text('Whether metadata is there at all.', { default: 'enabled', enum: ENABLED_OR_DISABLED }),
    httpProtocolIPv6: text('Whether metadata is there over IPv6.', {
      default: 'disabled',
      enum: ENABLED_OR_DISABLED,
    }),
    httpPutResponseHopLimit: integer(
      'How many hops an answer may go: with 1, pods of their own network get none.',
      'int64',
      {
        default: 1,
        minimum: 1,
        maximum: 64,
      },
    ),
    httpTokens: text('Whether questions need a token (IMDSv2).', {
      default: 'required',
      enum: ['required', 'optional'],
    }),
  },
};

export const connectionTracking: JsonSchema = {
  description: 'How long security groups remember idle connections.',
  type: 'object',
  properties: {
    tcpEstablishedTimeout: integer('Seconds for TCP connections that are established.', 'int32', {
      minimum: 60,
      maximum: 432000,
    }),
    udpStreamTimeout: integer('Seconds for UDP flows of more than one request and answer.', 'int32', {
      minimum: 60,
      maximum: 180,
    }),
    udpTimeout: integer('Seconds for UDP flows that went one way, or once.', 'int32', { minimum: 30, maximum: 60 }),
  },
  'x-kubernetes-validations': [
    rule(
      'at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set',
      'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
    ),
  ],
};

export const cpuOptions: JsonSchema = {
  description: 'Settings of the processor.',
  type: 'object',
  properties: {
    nestedVirtualization: text('Whether nodes may run virtual machines; limits the instance types to those that can.', {
      enum: ENABLED_OR_DISABLED,
    }),
  },
};
