import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DefinitionsApi, type Fields } from '../../../../test/aws/definitions-api.ts';
import { NodeClaims, NodeOverlays, NodePools } from '../../../kube/resources.ts';

let api: DefinitionsApi;

beforeAll(async () => {
  api = await DefinitionsApi.open();
});

afterAll(() => api.close());

describe('labels of karpenter.k8s.aws', () => {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const restricted = 'label domain "karpenter.k8s.aws" is restricted';
  const requirements = (key: string): Fields => ({ requirements: [{ key, operator: 'Exists' }] });
  const pool = (spec: Fields, labels: Fields = {}): Promise<string> =>
    api.refusal(NodePools, { template: { metadata: { labels }, spec: { nodeClassRef, requirements: [], ...spec } } });
  const overlay = (key: string): Promise<string> => api.refusal(NodeOverlays, { price: '1', ...requirements(key) });

  test.each(['instance-family', 'instance-tenancy', 'capacity-reservation-id', 'placement-group-partition'])(
    'may be asked for by pools and claims when they are known: %s',
    async (name) => {
      const key = `karpenter.k8s.aws/${name}`;
      expect(await pool(requirements(key))).toBe('');
      expect(await pool({}, { [key]: 'x' })).toBe('');
      expect(await api.refusal(NodeClaims, { nodeClassRef, ...requirements(key) })).toBe('');
    },
  );

  test('may not be asked for when they are not known', async () => {
    const key = 'karpenter.k8s.aws/made-up';
    expect(await pool(requirements(key))).toContain(restricted);
    expect(await pool({}, { [key]: 'x' })).toContain(restricted);
    expect(await api.refusal(NodeClaims, { nodeClassRef, ...requirements(key) })).toContain(restricted);
    expect(await overlay(key)).toContain(restricted);
  });

  test('are fewer for overlays, which know no tenancy, reservations and placement', async () => {
    expect(await overlay('karpenter.k8s.aws/instance-family')).toBe('');
    expect(await overlay('karpenter.k8s.aws/instance-tenancy')).toContain(restricted);
    expect(await overlay('karpenter.k8s.aws/capacity-reservation-id')).toContain(restricted);
    expect(await overlay('karpenter.k8s.aws/placement-group-id')).toContain(restricted);
  });
});
