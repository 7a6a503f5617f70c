/** docs/karpenter-core.md 4.11: rules about where other pods are. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, LabelSelector, Pod, PodSpec, TopologySpreadConstraint } from '../../src/kube/objects.ts';
import { node, nodePool, type Overrides, pod, requesting } from '../factories/index.ts';
import { inZones, pending, pool, spread, zones } from './reported-cases.ts';
import { errors, HOSTNAME, newNodes, onNodes, schedule, valuesOf, ZONE } from './schedule.ts';

const small = inZones('a', 'b', 'c');
const A: LabelSelector = { matchLabels: { app: 'a' } };
const tight = { ...requesting({ cpu: '3' }) };

/** A full node in a zone, with so many pods labelled `app: a` on it. */
function populated(
  zone: string,
  count: number,
  overrides: Overrides<Pod> = {},
  labels: Readonly<Record<string, string>> = {},
): readonly KubeObject[] {
  const name = `in-${zone}`;
  return [
    node({
      metadata: { name, labels: { [HOSTNAME]: name, [ZONE]: zone, ...labels } },
      status: { allocatable: { cpu: '0', pods: '0' } },
    }),
    ...Array.from({ length: count }, (_, i) =>
      pod({
        ...overrides,
        metadata: { name: `${zone}-${i}`, labels: { app: 'a' }, ...overrides.metadata },
        spec: { nodeName: name },
        status: { phase: 'Running', ...overrides.status },
      }),
    ),
  ];
}
const spreading = (rest: Partial<TopologySpreadConstraint> = {}, spec: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  ...spec,
  topologySpreadConstraints: [spread(rest)],
});
const zoneOf = (
  objects: readonly KubeObject[],
  spec: Partial<PodSpec>,
  labels?: Record<string, string>,
): string | Record<string, string> => {
  const results = schedule([pool('p'), ...objects, pending('asked', spec, labels)], [small]);
  return results.podErrors.size > 0 ? errors(results) : (valuesOf(results, ZONE)[0] ?? '');
};
const REFUSED = { asked: 'TopologySpread' };

describe('what counts for a spread', () => {
  test('running pods of the namespace that the selector finds', () => {
    expect(zoneOf([...populated('a', 1), ...populated('b', 1)], spreading())).toBe('c');
    expect(
      zoneOf(
        [...populated('a', 1), ...populated('b', 1, { metadata: { labels: { app: 'other' } } }), ...populated('c', 1)],
        spreading(),
      ),
    ).toBe('b');
    expect(
      zoneOf(
        [...populated('a', 1), ...populated('b', 1, { metadata: { namespace: 'other' } }), ...populated('c', 1)],
        spreading(),
      ),
    ).toBe('b');
  });

  test.each<[string, Overrides<Pod>]>([
    ['have ended', { status: { phase: 'Succeeded' } }],
    ['are ending', { metadata: { deletionTimestamp: '2026-11-30T23:59:00Z' } }],
  ])('but not those that %s', (_, overrides) => {
    expect(zoneOf([...populated('a', 1), ...populated('b', 2, overrides), ...populated('c', 1)], spreading())).toBe(
      'b',
    );
  });

  test('nodes that the pod does not select are left out, unless it says otherwise', () => {
    const uneven = [
      ...populated('a', 2, {}, { team: 'x' }),
      ...populated('b', 0, {}, { team: 'x' }),
      ...populated('c', 5),
    ];
    const labelled = nodePool({
      metadata: { name: 'p' },
      spec: { template: { metadata: { labels: { team: 'x' } }, spec: { requirements: zones('c') } } },
    });
    const fate = (nodeAffinityPolicy?: string) => {
      const constraint = { maxSkew: 2, ...(nodeAffinityPolicy && { nodeAffinityPolicy }) };
      const results = schedule(
        [labelled, ...uneven, pending('asked', spreading(constraint, { nodeSelector: { team: 'x' } }))],
        [small],
      );
      return Object.keys(errors(results));
    };
    expect([fate(), fate('Ignore')]).toEqual([[], ['asked']]);
  });

  test('taints are left out of it, unless it says otherwise', () => {
    const tainted = (zone: string, count: number): readonly KubeObject[] =>
      populated(zone, count).map((object) =>
        object.kind === 'Node'
          ? ({ ...object, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } } as KubeObject)
          : object,
      );
    const uneven = [...tainted('a', 0), ...populated('b', 1), ...populated('c', 1)];
    const onlyBC = pool('p', zones('b', 'c'));
    const fate = (nodeTaintsPolicy?: string) =>
      Object.keys(
        errors(
          schedule(
            [onlyBC, ...uneven, pending('asked', spreading(nodeTaintsPolicy ? { nodeTaintsPolicy } : {}))],
            [small],
          ),
        ),
      );
    expect([fate(), fate('Honor')]).toEqual([['asked'], []]);
  });

  test('matchLabelKeys narrow the selector to pods that are alike in them', () => {
    const version = (v: string): Overrides<Pod> => ({ metadata: { labels: { app: 'a', version: v } } });
    const objects = [
      ...populated('a', 1, version('2')),
      ...populated('b', 3, version('1')),
      ...populated('c', 1, version('2')),
    ];
    const constraint = { matchLabelKeys: ['version', 'absent'] };
    expect(zoneOf(objects, spreading(constraint), { app: 'a', version: '2' })).toBe('b');
    expect(zoneOf(objects, spreading(), { app: 'a', version: '2' })).not.toBe('b');
  });

  test('without a selector new pods do not count, but what is there does', () => {
    const { labelSelector: _, ...unselective } = spread();
    const pods = ['1', '2', '3'].map((n) => pending(`p${n}`, { topologySpreadConstraints: [unselective] }));
    expect(newNodes(schedule([pool('p'), ...pods], [small]))).toEqual([['p1', 'p2', 'p3']]);
    const crowded = [...populated('a', 2), ...populated('b', 0), ...populated('c', 0)];
    const results = schedule(
      [pool('p', zones('a')), ...crowded, pending('asked', { topologySpreadConstraints: [unselective] })],
      [small],
    );
    expect(errors(results)).toEqual(REFUSED);
  });
});

describe('where a spread lets a pod be', () => {
  test('within maxSkew of the emptiest domain that the pod itself allows', () => {
    const objects = [...populated('a', 2), ...populated('b', 1), ...populated('c', 0)];
    const inAB: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['a', 'b'] }] }],
          },
        },
      },
    };
    expect(zoneOf(objects, spreading({}, inAB))).toBe('b');
    expect(zoneOf(objects, spreading({}, { nodeSelector: { [ZONE]: 'a' } }))).toBe('a');
    const results = schedule([pool('p', zones('a')), ...objects, pending('asked', spreading())], [small]);
    expect(errors(results)).toEqual(REFUSED);
    expect(
      errors(schedule([pool('p', zones('a')), ...objects, pending('asked', spreading({ maxSkew: 3 }))], [small])),
    ).toEqual({});
  });

  test('minDomains counts domains that are missing as empty', () => {
    const objects = ['a', 'b', 'c'].flatMap((zone) => populated(zone, 1));
    expect(zoneOf(objects, spreading({ minDomains: 3 }))).toMatch(/[abc]/);
    expect(zoneOf(objects, spreading({ minDomains: 4 }))).toEqual(REFUSED);
  });

  test('a pod that its own selector does not find adds nothing', () => {
    const objects = ['a', 'b', 'c'].flatMap((zone) => populated(zone, 1));
    expect(zoneOf(objects, spreading({ minDomains: 4 }), { app: 'other' })).toMatch(/[abc]/);
  });

  test('hosts can always be had anew: only maxSkew counts', () => {
    const pods = ['1', '2', '3', '4', '5'].map((n) =>
      pending(`p${n}`, { ...requesting({ cpu: '100m' }), ...spreading({ topologyKey: HOSTNAME, maxSkew: 2 }) }),
    );
    expect(
      newNodes(schedule([pool('p'), ...pods], [small]))
        .map((names) => names.length)
        .sort(),
    ).toEqual([1, 2, 2]);
  });

  test('two constraints both hold', () => {
    const both = { topologySpreadConstraints: [spread(), spread({ topologyKey: HOSTNAME })] };
    const results = schedule([pool('p'), ...['1', '2', '3', '4'].map((n) => pending(`p${n}`, both))], [small]);
    expect(newNodes(results)).toHaveLength(4);
    expect(new Set(valuesOf(results, ZONE).slice(0, 3)).size).toBeGreaterThanOrEqual(2);
    expect(valuesOf(results, ZONE).toSorted().join()).toMatch(/^a,(a,b,c|b,b,c|b,c,c)$/);
  });
});

describe('affinity between pods', () => {
  const rule = (kind: 'podAffinity' | 'podAntiAffinity', term: object = {}): Partial<PodSpec> => ({
    affinity: {
      [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ZONE, labelSelector: A, ...term }] },
    },
  });
  const near = (term: object = {}) => rule('podAffinity', term);
  const apart = (term: object = {}) => rule('podAntiAffinity', term);

  test('goes where its pods are', () => {
    expect(zoneOf(populated('b', 1), near(), { app: 'other' })).toBe('b');
  });

  test('goes nowhere when there are none, unless the pod is one of them', () => {
    expect(zoneOf([], near(), { app: 'other' })).toEqual({ asked: 'PodAffinity' });
    expect(zoneOf([], near())).toMatch(/[abc]/);
  });

  test('does not start anew while its pods are where the pod may go', () => {
    const onlyC = schedule([pool('p', zones('c')), ...populated('b', 1), pending('asked', near())], [small]);
    expect(errors(onlyC)).toEqual({ asked: 'PodAffinity' });
  });

  test('starts anew when its pods are where the pod may not go', () => {
    expect(zoneOf(populated('b', 1), { ...near(), nodeSelector: { [ZONE]: 'c' } })).toBe('c');
  });

  test('keeps a group on one host, and a second group off it by another rule', () => {
    const group = ['1', '2'].map((n) =>
      pending(`p${n}`, { ...requesting({ cpu: '1' }), ...near({ topologyKey: HOSTNAME }) }),
    );
    expect(newNodes(schedule([pool('p'), ...group], [small]))).toEqual([['p1', 'p2']]);
  });

  test('keeps away from where its pods are', () => {
    expect(zoneOf([...populated('a', 1), ...populated('b', 1)], apart())).toBe('c');
    expect(
      zoneOf(
        ['a', 'b', 'c'].flatMap((zone) => populated(zone, 1)),
        apart(),
      ),
    ).toEqual({ asked: 'PodAntiAffinity' });
  });

  test('a pod whose zone is not settled keeps all zones that it may get', () => {
    const pods = ['1', '2'].map((n) => pending(`p${n}`, { ...tight, ...apart() }));
    const results = schedule([pool('p'), ...pods], [small]);
    expect([newNodes(results), errors(results)]).toEqual([[['p1']], { p2: 'PodAntiAffinity' }]);
    const settled = ['a', 'b'].map((zone) => pending(zone, { ...tight, ...apart(), nodeSelector: { [ZONE]: zone } }));
    expect(newNodes(schedule([pool('p'), ...settled], [small]))).toEqual([['a'], ['b']]);
  });

  test('a running pod keeps others away, though they have nothing against it', () => {
    const hermit = populated('a', 1, { metadata: { labels: { app: 'hermit' } } }).map((object) =>
      object.kind === 'Pod' ? ({ ...object, spec: { ...(object as Pod).spec, ...apart() } } as KubeObject) : object,
    );
    expect(zoneOf(hermit, { nodeSelector: { [ZONE]: 'a' } })).toEqual({ asked: 'PodAntiAffinity' });
    expect(zoneOf(hermit, { nodeSelector: { [ZONE]: 'b' } })).toBe('b');
  });

  test('a mere preference of a running pod keeps nobody away', () => {
    const shy = populated('a', 1, { metadata: { labels: { app: 'shy' } } }).map((object) =>
      object.kind === 'Pod'
        ? ({
            ...object,
            spec: {
              ...(object as Pod).spec,
              affinity: {
                podAntiAffinity: {
                  preferredDuringSchedulingIgnoredDuringExecution: [
                    { weight: 1, podAffinityTerm: { topologyKey: ZONE, labelSelector: A } },
                  ],
                },
              },
            },
          } as KubeObject)
        : object,
    );
    expect(zoneOf(shy, { nodeSelector: { [ZONE]: 'a' } })).toBe('a');
  });

  test.each<[string, object, boolean]>([
    ['its own, when none is named', {}, false],
    ['those that are named', { namespaces: ['other'] }, true],
    ['those that the selector finds', { namespaceSelector: { matchLabels: { team: 'x' } } }, true],
    ['those and the named ones', { namespaces: ['third'], namespaceSelector: { matchLabels: { team: 'x' } } }, true],
    ['all, when the selector is empty', { namespaceSelector: {} }, true],
    ['none, when it finds none', { namespaceSelector: { matchLabels: { team: 'y' } } }, false],
  ])('looks at pods of %s', (_, term, found) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other', labels: { team: 'x' } } };
    const elsewhere = populated('b', 1, { metadata: { namespace: 'other' } });
    const outcome = zoneOf([namespace, ...elsewhere], near(term), { app: 'asking' });
    expect(outcome).toEqual(found ? 'b' : { asked: 'PodAffinity' });
  });
});

describe('domains', () => {
  test('of a pool that the pod does not tolerate are no domains of an affinity rule', () => {
    const tainted = nodePool({
      metadata: { name: 'tainted' },
      spec: { template: { spec: { requirements: zones('c'), taints: [{ key: 'x', effect: 'NoSchedule' }] } } },
    });
    const results = schedule(
      [pool('p', zones('a', 'b')), tainted, ...['1', '2', '3'].map((n) => pending(`p${n}`, spreading()))],
      [small],
    );
    expect(valuesOf(results, ZONE).filter((zone) => zone === 'c')).toEqual([]);
  });

  test('of nodes that no pool could make are domains all the same', () => {
    const objects = [...populated('z', 0), ...populated('a', 1), ...populated('b', 1), ...populated('c', 1)];
    expect(zoneOf(objects, spreading())).toEqual({ asked: 'NoInstanceType' });
  });

  test('a label that only nodes have can be spread over', () => {
    const racked = (name: string, rack: string) => node({ metadata: { name, labels: { 'example.com/rack': rack } } });
    const pods = ['1', '2'].map((n) => pending(`p${n}`, spreading({ topologyKey: 'example.com/rack' })));
    const placed = onNodes(schedule([pool('p'), racked('n1', 'r1'), racked('n2', 'r2'), ...pods], [small]));
    expect(Object.values(placed).map((names) => names.length)).toEqual([1, 1]);
  });
});
