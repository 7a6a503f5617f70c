import { describe, expect, test } from 'vitest';
import { capacityBuffer, pod, requesting } from '../../../test/factories/index.ts';
import { nodePool } from '../../../test/factories/node-pool.ts';
import { errors, instanceType, newNodes, schedule } from '../../../test/scheduling/schedule.ts';
import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { bufferOutcomes } from './buffer-outcomes.ts';
import { bufferReplicas } from './buffer-replicas.ts';
import { provisioningCondition } from './provisioning-condition.ts';
import { bufferOf, virtualPods } from './virtual-pods.ts';

const SINCE = '2026-01-01T00:00:00Z';

describe('the size of a buffer', () => {
  const POD = requesting({ cpu: '500m', memory: '1Gi' });

  test.each<[CapacityBuffer['spec'], number | undefined, number]>([
    [{ replicas: 3 }, undefined, 3],
    [{ replicas: 0 }, undefined, 0],
    [{ percentage: 50 }, 10, 5],
    [{ percentage: 10 }, 1, 1],
    [{ percentage: 25 }, 10, 3],
    [{ percentage: 0 }, 10, 0],
    [{ percentage: 50 }, 0, 0],
    [{ percentage: 50 }, undefined, 0],
    [{ percentage: 50, replicas: 2 }, 10, 5],
    [{ percentage: 50, replicas: 8 }, 10, 8],
    [{ replicas: 9, limits: { cpu: '2' } }, undefined, 4],
    [{ replicas: 2, limits: { cpu: '2' } }, undefined, 2],
    [{ replicas: 9, limits: { cpu: '4', memory: '2500Mi' } }, undefined, 2],
    [{ limits: { cpu: '1700m' } }, undefined, 3],
    [{ limits: { cpu: '100m' } }, undefined, 0],
    [{ replicas: 9, limits: { 'example.com/gpu': '1' } }, undefined, 9],
    [{ limits: { 'example.com/gpu': '1' } }, undefined, 0],
  ])('%j of %s replicas is %d', (spec, scalable, expected) => {
    expect(bufferReplicas(spec, POD, scalable)).toBe(expected);
  });
});

describe('virtual pods', () => {
  const buffer = capacityBuffer({ replicas: 2 }, 'b');

  test('look like the template, without what only a real pod can have', () => {
    const spec = {
      ...requesting({ cpu: '1' }),
      nodeName: 'n',
      volumes: [
        { name: 'claimed', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'own', ephemeral: {} },
        { name: 'scratch', emptyDir: {} },
      ],
    };
    const [first, second] = virtualPods(buffer, { metadata: { labels: { app: 'a' } }, spec }, 2, SINCE);
    expect(first?.metadata).toMatchObject({
      name: 'capacity-buffer-b-1',
      namespace: 'default',
      uid: 'uid-b-1',
      labels: { app: 'a' },
    });
    expect(first?.spec.volumes?.map((volume) => volume.name)).toEqual(['scratch']);
    expect([first?.spec.nodeName, first?.spec.priority]).toEqual([undefined, -2147483648]);
    expect(second && bufferOf(second)).toBe('default/b');
    expect(bufferOf(pod())).toBeUndefined();
  });

  test('are packed like real ones, next to each other’s labels', () => {
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'a' } },
      },
    ] as const;
    const spec = { ...requesting({ cpu: '1' }), topologySpreadConstraints };
    const pods = virtualPods(buffer, { metadata: { labels: { app: 'a' } }, spec }, 2, SINCE);
    const results = schedule([nodePool(), ...pods], [instanceType('t', { cpu: '8', memory: '8Gi', pods: '10' })]);
    expect(newNodes(results)).toEqual([['capacity-buffer-b-1'], ['capacity-buffer-b-2']]);
    expect(bufferOutcomes(results)).toEqual(new Map([['default/b', { existing: 0, new: 2, failed: 0 }]]));
  });

  test('that fit nowhere have failed', () => {
    const pods = virtualPods(buffer, { spec: requesting({ cpu: '99' }) }, 1, SINCE);
    const results = schedule([nodePool(), ...pods], [instanceType('t', { cpu: '8', memory: '8Gi', pods: '10' })]);
    expect(Object.keys(errors(results))).toEqual(['capacity-buffer-b-1']);
    expect(bufferOutcomes(results).get('default/b')).toEqual({ existing: 0, new: 0, failed: 1 });
  });
});

describe('after a pass a buffer', () => {
  const ready = (replicas?: number): CapacityBuffer => ({
    ...capacityBuffer({ replicas: 3 }),
    status: {
      conditions: [{ type: 'ReadyForProvisioning', status: 'True' }],
      ...(replicas === undefined ? {} : { replicas }),
    },
  });

  test.each<[string, CapacityBuffer, Parameters<typeof provisioningCondition>[1], string | undefined]>([
    ['has not been resolved', capacityBuffer({ replicas: 3 }), undefined, 'False NotReadyForProvisioning'],
    ['is empty', ready(0), undefined, 'False BufferEmpty'],
    ['has no size yet', ready(), undefined, 'False BufferEmpty'],
    ['was not part of it', ready(3), undefined, undefined],
    ['fits', ready(3), { existing: 3, new: 0, failed: 0 }, 'True FitsExistingCapacity'],
    ['needs a node', ready(3), { existing: 2, new: 1, failed: 0 }, 'False RequiresNewCapacity'],
    ['has a pod without a place', ready(3), { existing: 2, new: 0, failed: 1 }, 'False RequiresNewCapacity'],
    ['has another size than the pass knew', ready(3), { existing: 2, new: 0, failed: 0 }, undefined],
  ])('that %s is told so', (_, buffer, outcome, expected) => {
    const condition = provisioningCondition(buffer, outcome);
    expect(condition && `${condition.status} ${condition.reason}`).toBe(expected);
  });

  test('is told the numbers', () => {
    const { message } = provisioningCondition(ready(5), { existing: 1, new: 3, failed: 1 }) ?? {};
    expect(message).toBe('3/5 virtual pods required new capacity, 1 failed');
  });
});
