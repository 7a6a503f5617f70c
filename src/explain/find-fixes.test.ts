import { describe, expect, it } from 'vitest';
import { genericCatalogue } from '../../test/support/generic-catalogue.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Pod, PodSpec } from '../kube/objects.ts';
import { worldFromObjects } from '../state/world-from-objects.ts';
import { Analysis } from './analysis.ts';
import { explainPod } from './pod-explanation.ts';

const pool = (name: string, spec: Partial<NodePool['spec']> = {}, template: object = {}): NodePool => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    ...spec,
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
        ...template,
      },
    },
  },
});

const pod = (spec: Partial<PodSpec>, cpu = '1'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'default' },
  spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }], ...spec },
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
});

function explain(asked: Pod, pools: readonly NodePool[]) {
  const { instanceTypes, rules } = genericCatalogue();
  const world = worldFromObjects([...pools, asked], { instanceTypes, now: 0 });
  const analysis = new Analysis(world, rules);
  const [only] = world.pods;
  if (!only) throw new Error('no pod');
  const closest = (value: string, candidates: readonly string[]) =>
    candidates.find((candidate) => candidate.replace(/\W/g, '') === value.replace(/[\W_]/g, ''));
  const { solve, wellKnown } = analysis;
  return explainPod({ pod: only, world, pending: analysis.pending(), solve, wellKnown, closest });
}

const edits = (asked: Pod, ...pools: readonly NodePool[]) =>
  explain(asked, pools).fixes.map((fix) => fix.edits.map(({ path, to }) => `${path} = ${to}`).join(' and '));

describe('the edits that let a pod fit', () => {
  it('are none for a pod that fits', () => {
    expect(explain(pod({}), [pool('a')])).toMatchObject({ state: 'NewNode', fixes: [] });
  });

  it('name the pool that takes the pod, not the first that was looked at', () => {
    const arch = (operator: 'In' | 'NotIn') => ({ key: 'kubernetes.io/arch', operator, values: ['amd64'] });
    const nothing = pool('a', {}, { requirements: [arch('In'), arch('NotIn')] });
    const misspelt = pod({ nodeSelector: { 'karpenter.sh/capacity-type': 'on_demand' } });
    expect(explain(misspelt, [nothing, pool('b')]).fixes.map(({ nodePool }) => nodePool)).toEqual(['b', 'b']);
  });

  it('tolerate a taint', () => {
    const tainted = pool('a', {}, { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });
    expect(edits(pod({}), tainted)).toEqual([
      'spec.tolerations = {key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}',
    ]);
  });

  it('correct a misspelt value before anything else', () => {
    const [first] = edits(pod({ nodeSelector: { 'karpenter.sh/capacity-type': 'on_demand' } }), pool('a'));
    expect(first).toBe('spec.nodeSelector["karpenter.sh/capacity-type"] = on-demand');
  });

  it('widen the pool or narrow the pod when they ask for different things', () => {
    const arm = pool('a', {}, { requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] });
    expect(edits(pod({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }), arm)).toEqual([
      'spec.template.spec.requirements[0] = kubernetes.io/arch In [amd64 arm64]',
      'spec.nodeSelector["kubernetes.io/arch"] = amd64',
      'spec.nodeSelector["kubernetes.io/arch"] = ',
    ]);
  });

  it('raise a limit, and the limit is named as the cause', () => {
    const limited = pool('a', { limits: { cpu: '4' } });
    const explained = explain(pod({}, '6'), [limited]);
    expect(explained.targets[0]?.reasons[0]).toMatchObject({ code: 'NodePoolLimit', subject: 'cpu' });
    expect(explained.fixes[0]?.edits).toEqual([{ object: 'nodepool/a', path: 'spec.limits.cpu', from: '4', to: '16' }]);
  });

  it('shrink a pod that is larger than any machine, by one measure only', () => {
    expect(edits(pod({}, '400'), pool('a'))).toEqual(['spec.containers[].resources.requests = at most cpu 230']);
  });

  it('are made together when one is not enough', () => {
    const two = pool('a', { limits: { cpu: '4' } }, { taints: [{ key: 'x', effect: 'NoSchedule' }] });
    expect(edits(pod({}, '6'), two)).toContain(
      'spec.limits.cpu = 16 and spec.tolerations = {key: x, operator: Exists, effect: NoSchedule}',
    );
  });
});
