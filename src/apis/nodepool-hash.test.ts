import { describe, expect, test } from 'vitest';
import type { NodePool } from './node-pool.ts';
import { nodePoolHash } from './nodepool-hash.ts';

type Template = NodePool['spec']['template'];

const kwok = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
const ec2 = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'x' };
const hash = (template: Template, rest: Partial<NodePool['spec']> = {}): string =>
  nodePoolHash({ metadata: { name: 'p' }, spec: { template, ...rest } });

describe('the hash equals the one upstream v1.14.1 stamps', () => {
  const full: Template = {
    metadata: { labels: { team: 'web', tier: 'front' }, annotations: { a: 'b' } },
    spec: {
      nodeClassRef: kwok,
      expireAfter: '24h',
      terminationGracePeriod: '1h30m',
      taints: [
        { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
        { key: 'b', effect: 'NoExecute' },
      ],
      startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
    },
  };
  const twice = { key: 'a', effect: 'NoSchedule' };
  test.each<[string, Template, string]>([
    ['defaults', { spec: { nodeClassRef: kwok, expireAfter: '720h', requirements: [] } }, '12745407319442031341'],
    ['no expiry', { spec: { nodeClassRef: kwok, expireAfter: 'Never', requirements: [] } }, '7428780003907761376'],
    ['every field', full, '11096982333856544050'],
    [
      'empty and non-ASCII values',
      {
        metadata: { labels: {}, annotations: { é: 'ü' } },
        spec: { nodeClassRef: ec2, expireAfter: '0s', taints: [], requirements: [] },
      },
      '7633718136753322800',
    ],
    [
      'repeated taints and a zero grace period',
      { spec: { nodeClassRef: ec2, taints: [twice, twice], terminationGracePeriod: '0s', requirements: [] } },
      '17424296669103287185',
    ],
  ])('for %s', (_, template, expected) => {
    expect(hash(template)).toBe(expected);
  });
});

test('behaviour fields of the pool do not change the hash', () => {
  const template: Template = { spec: { nodeClassRef: kwok, requirements: [] } };
  expect(hash(template, { weight: 10, limits: { cpu: '10' }, disruption: { consolidateAfter: '1h' } })).toBe(
    hash(template),
  );
});
