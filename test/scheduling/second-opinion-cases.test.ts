/** Found by asking the plain packer of test/plain for a second opinion on random worlds. */
import { describe, expect, test } from 'vitest';
import type { PodAffinity, PodSpec } from '../../src/kube/objects.ts';
import { node } from '../factories/index.ts';
import { requesting } from '../factories/pod.ts';
import { inZones, pending, pool, spread, zones } from './reported-cases.ts';
import { CAPACITY_TYPE, HOSTNAME, instanceType, newNodes, onNodes, schedule, valuesOf, ZONE } from './schedule.ts';

const near = (app: string, topologyKey: string): PodAffinity => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
});

describe('labels of nodes that exist', () => {
  const bare = node({ metadata: { name: 'bare', labels: { [HOSTNAME]: 'bare' } } });
  const notRed: PodSpec['affinity'] = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['red'] }] }],
      },
    },
  };
  const byTeam = pool('p', [{ key: 'team', operator: 'In', values: ['blue'] }]);
  const spreadByTeam: Partial<PodSpec> = { topologySpreadConstraints: [spread({ topologyKey: 'team' })] };

  test('a pod that must not have a label and is spread by it does not go to a node that lacks it', () => {
    const world = [byTeam, bare, pending('web', { affinity: notRed, ...spreadByTeam })];
    expect(newNodes(schedule(world))).toEqual([['web']]);
    expect(onNodes(schedule(world, undefined, { keepKnownFaults: true }))).toEqual({ bare: ['web'] });
  });

  test('nor does one that comes after a pod that must not have it', () => {
    const first = pending('first', { ...requesting({ cpu: '1' }), affinity: notRed });
    const world = [byTeam, bare, first, pending('second', spreadByTeam)];
    expect(onNodes(schedule(world))).toEqual({ bare: ['first'] });
    expect(newNodes(schedule(world))).toEqual([['second']]);
  });
});

describe('a zone in which no pool can have a node', () => {
  const there = node({ metadata: { name: 'there', labels: { [HOSTNAME]: 'there', [ZONE]: 'c' } } });
  const loner = pending('loner', {
    ...requesting({ cpu: '2' }),
    nodeSelector: { [ZONE]: 'a' },
    affinity: { podAntiAffinity: near('web', ZONE) },
  });

  test('is free for pods that others want to be away from in another zone', () => {
    const world = [pool('p', zones('a')), there, loner, pending('web', {}, { app: 'web' })];
    expect(onNodes(schedule(world, [inZones('a')]))).toEqual({ there: ['web'] });
    expect(onNodes(schedule(world, [inZones('a')], { keepKnownFaults: true }))).toEqual({});
  });

  test('is not free where such a pod is', () => {
    const bound = {
      ...loner,
      spec: { ...loner.spec, nodeSelector: {}, nodeName: 'there' },
      status: { phase: 'Running' },
    };
    const world = [pool('p', zones('a')), there, bound, pending('web', {}, { app: 'web' })];
    expect(onNodes(schedule(world, [inZones('a')]))).toEqual({});
  });
});

describe('a pod that is spread and keeps away from others on one label', () => {
  test('is put where both allow it, whichever is written first', () => {
    const types = [
      instanceType('t', { cpu: '4', memory: '16Gi' }, [
        { capacityType: 'on-demand' },
        { capacityType: 'spot', price: 0.5 },
      ]),
    ];
    const onSpot = pending(
      'there',
      { ...requesting({ cpu: '3' }), nodeSelector: { [CAPACITY_TYPE]: 'spot' } },
      { app: 'db' },
    );
    const web = pending('web', {
      topologySpreadConstraints: [
        spread({ topologyKey: CAPACITY_TYPE, labelSelector: { matchLabels: { app: 'web' } } }),
      ],
      affinity: { podAntiAffinity: near('db', CAPACITY_TYPE) },
    });
    const results = schedule([pool('p'), onSpot, web], types);
    expect(newNodes(results)).toEqual([['there'], ['web']]);
    expect(valuesOf(results, CAPACITY_TYPE)).toEqual(['on-demand', 'spot']);
  });
});
