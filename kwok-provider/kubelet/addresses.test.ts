import { describe, expect, test } from 'vitest';
import { pod } from '../../test/factories/pod.ts';
import { Addresses } from './addresses.ts';

const named = (uid: string, spec = {}) => pod({ metadata: { uid }, spec: { containers: [], ...spec } });

describe('addresses', () => {
  test('are shared by no two nodes or pods', () => {
    const addresses = new Addresses();
    const seen = new Set<string>();
    for (const node of ['a', 'b', 'c']) {
      seen.add(addresses.nodeIp(node));
      for (let i = 0; i < 300; i++) seen.add(addresses.podIp(named(`${node}-${i}`), node));
    }
    expect(seen.size).toBe(3 * 301);
  });

  test('stay with a pod as long as it lives, and are given again after', () => {
    const addresses = new Addresses();
    const first = addresses.podIp(named('one'), 'a');
    expect(addresses.podIp(named('one'), 'a')).toBe(first);
    addresses.releasePod(named('one'));
    expect(addresses.podIp(named('two'), 'a')).toBe(first);
  });

  test('that an earlier run gave are kept', () => {
    const addresses = new Addresses();
    addresses.adoptNode('old', '10.0.0.0/24');
    addresses.adoptPod(pod({ metadata: { uid: 'old' }, status: { podIP: '10.0.0.2' } }));
    expect(addresses.podIp(named('new'), 'old')).toBe('10.0.0.3');
    expect(addresses.podCidr('new')).toBe('10.0.1.0/24');
  });

  test('of the host are the pod’s on the host network', () => {
    const addresses = new Addresses();
    expect(addresses.podIp(named('host', { hostNetwork: true }), 'a')).toBe(addresses.nodeIp('a'));
  });

  test('of a node that has gone go to the next', () => {
    const addresses = new Addresses();
    const range = addresses.podCidr('a');
    addresses.podCidr('b');
    addresses.releaseNode('a');
    expect(addresses.podCidr('c')).toBe(range);
  });
});
