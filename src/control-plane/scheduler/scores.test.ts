import { describe, expect, it } from 'vitest';
import { node, pod, requesting } from '../../../test/factories/index.ts';
import type { Node, Pod, PodSpec } from '../../kube/objects.ts';
import { labelMatcher } from '../../kube/selectors.ts';
import { ClusterCache } from './cluster-cache.ts';
import { LabelShapes } from './label-shapes.ts';
import { podInfo } from './pod-info.ts';
import { scoreNodes } from './scores.ts';
import { spreadConstraint } from './topology-spread.ts';

const shapes = new LabelShapes();
const sized = (name: string, cpu: string, memory: string, more: { labels?: object; spec?: object } = {}): Node =>
  node({
    metadata: { name, labels: { zone: name, ...more.labels } },
    spec: more.spec ?? {},
    status: { allocatable: { cpu, memory, pods: '110' } },
  });
const asking = (requests: Record<string, string>, more: Partial<PodSpec> = {}, labels = {}): Pod =>
  pod({ metadata: { labels }, spec: { ...requesting(requests), ...more } });

/** Scores of a pod on nodes that already have some pods. */
function scores(
  newcomer: Pod,
  nodes: readonly Node[],
  placed: Readonly<Record<string, readonly Pod[]>> = {},
  spread = false,
): readonly number[] {
  const cache = new ClusterCache(() => ({}));
  for (const each of nodes) cache.setNode(each);
  for (const [name, pods] of Object.entries(placed)) for (const each of pods) cache.place(podInfo(each, shapes), name);
  const info = podInfo(newcomer, shapes);
  const matches = labelMatcher({ matchLabels: { app: 'web' } });
  const constraint = { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const defaults = spread ? [spreadConstraint(info, constraint, matches)] : [];
  return scoreNodes(info, cache.nodes, cache, () => defaults);
}

/** What every node without soft taints gets. */
const UNTAINTED = 300;

// Expected numbers are worked out by hand from the formulas of kube-scheduler's plugins, with their integer divisions.
describe('emptiness and balance', () => {
  it('prefer the larger node for the same pod', () => {
    const nodes = [sized('a', '4', '10000'), sized('b', '6', '10000')];
    // a: free 25 and 50 % → 37; use 75 and 50 % → balance 87 after 100 → 68. b: 50 and 50 % → 50; balance kept → 75.
    expect(scores(asking({ cpu: '3', memory: '5000' }), nodes)).toEqual([UNTAINTED + 37 + 68, UNTAINTED + 50 + 75]);
  });

  it('assume that a pod which asks for nothing needs a little, and leave balance out', () => {
    // 100m of 1 core leave 90 %, 200Mi of 400Mi leave 50 %.
    expect(scores(asking({}), [sized('a', '1', '400Mi')])).toEqual([UNTAINTED + 70]);
  });

  it('like a pod that evens out the use of cpu and memory', () => {
    const nodes = [sized('a', '10', '10Gi'), sized('b', '10', '10Gi')];
    const memoryHeavy = asking({ cpu: '1', memory: '5Gi' });
    const cpuHeavy = asking({ cpu: '5', memory: '1Gi' });
    const [uneven = 0, even = 0] = scores(asking({ cpu: '4', memory: '0' }), nodes, {
      a: [cpuHeavy],
      b: [memoryHeavy],
    });
    expect(even).toBeGreaterThan(uneven);
  });
});

describe('preferences', () => {
  const soft = { key: 'old', effect: 'PreferNoSchedule' };
  const plain = asking({ cpu: '1', memory: '1Gi' });
  const difference = ([first = 0, second = 0]: readonly number[]): number => second - first;

  it('avoid soft taints that are not tolerated', () => {
    const nodes = [sized('a', '4', '8Gi', { spec: { taints: [soft] } }), sized('b', '4', '8Gi')];
    expect(difference(scores(plain, nodes))).toBe(300);
    const tolerant = asking({ cpu: '1', memory: '1Gi' }, { tolerations: [{ key: 'old', operator: 'Exists' }] });
    expect(difference(scores(tolerant, nodes))).toBe(0);
  });

  it('follow the weights of node affinity, relative to the best', () => {
    const term = (weight: number, zone: string) => ({
      weight,
      preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] },
    });
    const preferredDuringSchedulingIgnoredDuringExecution = [term(20, 'a'), term(80, 'b')];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
    const nodes = [sized('a', '4', '8Gi'), sized('b', '4', '8Gi')];
    // 25 against 100, twice.
    expect(difference(scores(asking({ cpu: '1', memory: '1Gi' }, { affinity }), nodes))).toBe(150);
  });

  it('follow affinity between pods, of the newcomer and of those already there', () => {
    const toWeb = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' };
    const preferred = [{ weight: 10, podAffinityTerm: toWeb }];
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    const nodes = [sized('a', '4', '8Gi'), sized('b', '4', '8Gi')];
    const web = asking({}, {}, { app: 'web' });
    const other = asking({}, {}, { app: 'other' });
    const seeker = asking({ cpu: '1', memory: '1Gi' }, { affinity });
    expect(difference(scores(seeker, nodes, { a: [other], b: [web] }))).toBe(200);
    // The other way around: whoever is there would like the newcomer near.
    const lonely = asking({}, { affinity });
    const welcome = asking({ cpu: '1', memory: '1Gi' }, {}, { app: 'web' });
    expect(difference(scores(welcome, nodes, { a: [other], b: [lonely] }))).toBe(200);
    const shy = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    expect(difference(scores(welcome, nodes, { a: [other], b: [asking({}, { affinity: shy })] }))).toBe(-200);
  });

  it('spread pods of one workload over hosts', () => {
    const web = (): Pod => asking({}, {}, { app: 'web' });
    const nodes = [sized('a', '4', '8Gi'), sized('b', '4', '8Gi')];
    const newcomer = asking({ cpu: '1', memory: '1Gi' }, {}, { app: 'web' });
    const other = (): Pod => asking({}, {}, { app: 'other' });
    // Two against none: 2 ln 4 + 2 → 5 against 2; 100·(5+2−5)/5 = 40 and 100.
    expect(difference(scores(newcomer, nodes, { a: [web(), web()], b: [other(), other()] }, true))).toBe(120);
  });
});
