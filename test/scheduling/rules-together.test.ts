/** Rules that meet on one label: found by comparing random worlds with upstream. */
import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../src/kube/objects.ts';
import { Requirement, Requirements } from '../../src/scheduling/index.ts';
import { isReserved } from '../../src/scheduling/instance-offerings.ts';
import { node } from '../factories/index.ts';
import { requesting } from '../factories/pod.ts';
import { inZones, pending, pool, spread, zones } from './reported-cases.ts';
import {
  CAPACITY_TYPE,
  errors,
  HOSTNAME,
  instanceType,
  newNodes,
  onNodes,
  schedule,
  valuesOf,
  ZONE,
} from './schedule.ts';

const apartFrom = (app: string, topologyKey = ZONE): Partial<PodSpec> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});

describe('rules that meet on one label', () => {
  test('of equally empty zones a spread takes one that other pods leave it', () => {
    const results = schedule(
      [
        pool('p', zones('a', 'b')),
        pending(
          'keeper',
          { ...requesting({ cpu: '2' }), ...apartFrom('a'), nodeSelector: { [ZONE]: 'a' } },
          { app: 'keeper' },
        ),
        pending('spread', { topologySpreadConstraints: [spread()] }),
      ],
      [inZones('a', 'b')],
    );
    expect(errors(results)).toEqual({});
    expect(newNodes(results)).toEqual([['keeper'], ['spread']]);
  });

  test('of equally empty zones a spread takes one in which a type that holds the pod is sold', () => {
    const big = instanceType('big', { cpu: '16', memory: '64Gi' }, [{ zone: 'b', price: 9 }]);
    const results = schedule(
      [
        pool('p', zones('a', 'b')),
        pending('spread', { ...requesting({ cpu: '9' }), topologySpreadConstraints: [spread()] }),
      ],
      [inZones('a', 'b'), big],
    );
    expect(errors(results)).toEqual({});
    expect(newNodes(results)).toEqual([['spread']]);
  });

  test('of equally empty zones a spread takes one in which no other claim holds the reservation', () => {
    const type = instanceType('t', { cpu: '4', memory: '16Gi' }, [
      { zone: 'a', capacityType: 'reserved', price: 0 },
      { zone: 'a' },
      { zone: 'b', price: 2 },
    ]);
    const offerings = type.offerings.map((offering) => {
      if (!isReserved(offering)) return offering;
      const requirements = new Requirements(offering.requirements);
      requirements.add(Requirement.of('karpenter.sh/reservation-id', 'In', ['r']));
      return { ...offering, requirements, reservationCapacity: 1 };
    });
    const results = schedule(
      [
        pool('p', zones('a', 'b')),
        pending('holder', { ...requesting({ cpu: '3' }), nodeSelector: { [CAPACITY_TYPE]: 'reserved' } }),
        pending('spread', { ...requesting({ cpu: '2' }), topologySpreadConstraints: [spread()] }),
      ],
      [{ ...type, offerings }],
      { wellKnownLabels: new Set(['karpenter.sh/reservation-id']) },
    );
    expect(errors(results)).toEqual({});
    expect(newNodes(results)).toEqual([['holder'], ['spread']]);
  });

  test('a spread over a label that the pool doesn’t give its nodes is refused for want of the label', () => {
    const full = node({
      metadata: { name: 'there', labels: { [HOSTNAME]: 'there', team: 'red' } },
      status: { allocatable: { cpu: '0', memory: '0', pods: '0' } },
    });
    const results = schedule([
      pool('p'),
      full,
      pending('spread', { topologySpreadConstraints: [spread({ topologyKey: 'team' })] }),
    ]);
    expect([...results.podErrors.values()].map(({ message }) => message)).toEqual([
      'label "team" does not have known values',
    ]);
  });

  test('pods on a node that lacks its type yet count, though nothing is put there', () => {
    const labels = { [HOSTNAME]: 'new', [ZONE]: 'a', 'karpenter.sh/nodepool': 'p' };
    const results = schedule(
      [
        pool('p', zones('a', 'b')),
        node({ metadata: { name: 'new', labels } }),
        pending('there', { nodeName: 'new' }, { app: 'a' }),
        pending('spread', { topologySpreadConstraints: [spread()] }),
      ],
      [inZones('a', 'b')],
    );
    expect(onNodes(results)).toEqual({});
    expect(valuesOf(results, ZONE)).toEqual(['b']);
  });

  test('a pod joins a claim that a later pod has given the label it needs', () => {
    const rack = (operator: string, values?: string[]): Partial<PodSpec> => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'example.com/rack', operator, ...(values && { values }) }] },
            ],
          },
        },
      },
    });
    const results = schedule(
      [
        pool('p'),
        pending('first', requesting({ cpu: '3' })),
        pending('needs', { ...requesting({ cpu: '2' }), ...rack('Exists') }),
        pending('brings', { ...requesting({ cpu: '1' }), ...rack('NotIn', ['r1']) }),
      ],
      [instanceType('big', { cpu: '16', memory: '64Gi' })],
    );
    expect(newNodes(results)).toEqual([['brings', 'first', 'needs']]);
  });

  test('two rules that exclude each other are not met by a node that lacks the label, as upstream has it', () => {
    const web = { matchLabels: { app: 'web' } };
    const bare = node({ metadata: { name: 'bare', labels: { [HOSTNAME]: 'bare' } } });
    const spec: Partial<PodSpec> = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: CAPACITY_TYPE, labelSelector: web }],
        },
      },
      topologySpreadConstraints: [
        spread({ topologyKey: CAPACITY_TYPE, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: web }),
      ],
    };
    const there = node({ metadata: { name: 'there', labels: { [HOSTNAME]: 'there', [CAPACITY_TYPE]: 'on-demand' } } });
    const full = pending('full', { ...requesting({ cpu: '4' }), nodeName: 'there' }, { app: 'web' });
    const types = [
      instanceType('t', { cpu: '4', memory: '16Gi' }, [
        { capacityType: 'on-demand' },
        { capacityType: 'spot', price: 0.5 },
      ]),
    ];
    const world = [pool('p'), bare, there, full, pending('web', spec, { app: 'web' })];
    expect(onNodes(schedule(world, types))).toEqual({});
    expect(onNodes(schedule(world, types, { keepKnownFaults: true }))).toEqual({ bare: ['web'] });
  });

  test('a rule that no zone meets keeps a pod from a node without a zone upstream, whatever other rules exclude each other', () => {
    const job = { matchLabels: { app: 'job' } };
    const bare = node({ metadata: { name: 'bare', labels: { [HOSTNAME]: 'bare' } } });
    const full = (zone: string) => node({ metadata: { name: zone, labels: { [HOSTNAME]: zone, [ZONE]: zone } } });
    const running = (name: string, zone: string, spec: Partial<PodSpec> = {}, app = 'job') =>
      pending(name, { ...requesting({ cpu: '1' }), ...spec, nodeName: zone }, { app });
    // The spread is for zone-b, the guard's rule for zone-a, and the pod's own for neither.
    const spec: Partial<PodSpec> = {
      ...requesting({ cpu: '3' }),
      ...apartFrom('job'),
      topologySpreadConstraints: [
        spread({ topologyKey: ZONE, maxSkew: 2, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: job }),
      ],
    };
    const world = [
      pool('p'),
      bare,
      full('zone-a'),
      full('zone-b'),
      running('a1', 'zone-a'),
      running('a2', 'zone-a'),
      running('b1', 'zone-b'),
      running('guard', 'zone-b', apartFrom('job'), 'guard'),
      pending('moved', spec, { app: 'job' }),
    ];
    const types = [instanceType('t', { cpu: '4', memory: '16Gi' }, [{ zone: 'zone-a' }, { zone: 'zone-b' }])];
    expect(onNodes(schedule(world, types))).toEqual({ bare: ['moved'] });
    expect(onNodes(schedule(world, types, { keepKnownFaults: true }))).toEqual({});
  });
});
