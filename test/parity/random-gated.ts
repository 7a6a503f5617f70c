import type { CapacityBuffer } from '../../src/apis/capacity-buffer.ts';
import type { NodeOverlay } from '../../src/apis/node-overlay.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { capacityBuffer, nodeOverlay } from '../factories/index.ts';
import { merge } from '../factories/merge.ts';
import { type RandomExpression, randomExpression } from './random-requirements.ts';
import { randomSpec } from './random-workload.ts';
import { APPS, type Making } from './random-world.ts';

/** NodeOverlays, some of which contradict each other or are invalid. */
export function randomOverlays(making: Making): NodeOverlay[] {
  const count = making.choices.integer(1, 4);
  return Array.from({ length: count }, (_, i) => nodeOverlay(randomOverlay(making), `overlay-${i}`));
}

function randomOverlay(making: Making): NodeOverlay['spec'] {
  const { choices, maybe } = making;
  const requirements: RandomExpression[] = Array.from({ length: choices.integer(0, 2) }, () =>
    choices.chance(0.15)
      ? { key: 'karpenter.sh/nodepool', operator: choices.pick(['In', 'NotIn'] as const), values: ['alpha'] }
      : randomExpression(making, 'pool'),
  );
  if (maybe(0.1, 'invalid overlay', 'mixed')) {
    requirements.push({ key: 'karpenter.sh/registered', operator: 'In', values: ['true'] });
  }
  const what = choices.pick(['price', 'adjustment', 'capacity', 'both'] as const);
  const capacity = choices.pick<Record<string, string>>([
    { 'example.com/gpu': '2' },
    { 'hugepages-2Mi': '1Gi' },
    { 'example.com/gpu': '1', 'example.com/fpga': '1' },
  ]);
  if (what !== 'capacity') making.note(what === 'adjustment' ? 'overlay adjusts a price' : 'overlay sets a price');
  if (what === 'capacity' || what === 'both') making.note('overlay adds capacity');
  return {
    requirements,
    ...(maybe(0.4, 'overlay weight', 'mixed') ? { weight: choices.integer(1, 3) } : {}),
    ...(what === 'price' || what === 'both' ? { price: choices.pick(['0', '0.01', '0.5', '7']) } : {}),
    ...(what === 'adjustment' ? { priceAdjustment: choices.pick(['-50%', '+100%', '-100%', '+1.5', '-0.03']) } : {}),
    ...(what === 'capacity' || what === 'both' ? { capacity } : {}),
  };
}

/** CapacityBuffers with what they are for; sometimes for nothing that is there. */
export function randomBuffers(making: Making): KubeObject[] {
  const { choices } = making;
  const count = choices.integer(1, 2);
  return Array.from({ length: count }, (_, i) => randomBuffer(making, `buffer-${i}`)).flat();
}

function randomBuffer(making: Making, name: string): KubeObject[] {
  const { choices, maybe } = making;
  const labels = { app: choices.pick(APPS) };
  const template = { metadata: { labels }, spec: randomSpec(making, labels) };
  const limits = maybe(0.3, 'buffer limits', 'mixed') ? { limits: { cpu: choices.pick(['1', '2500m', '6']) } } : {};
  if (choices.chance(0.5)) {
    const replicas = limits.limits && choices.chance(0.5) ? {} : { replicas: choices.integer(0, 5) };
    const spec: CapacityBuffer['spec'] = { podTemplateRef: { name }, ...replicas, ...limits };
    const podTemplate: KubeObject = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name, namespace: 'default' },
      ...{ template },
    };
    return [capacityBuffer(spec, name), ...(maybe(0.3, 'buffer for nothing', 'mixed') ? [] : [podTemplate])];
  }
  making.note('buffer for a workload');
  const kind = choices.pick(['Deployment', 'StatefulSet', 'ReplicaSet']);
  const spec: CapacityBuffer['spec'] = {
    scalableRef: { ...(choices.chance(0.5) ? { apiGroup: 'apps' } : {}), kind, name },
    ...(choices.chance(0.4) ? { replicas: choices.integer(1, 3) } : {}),
    percentage: choices.pick([0, 10, 50, 150]),
    ...limits,
  };
  const workload: KubeObject = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    ...{
      spec: {
        ...(choices.chance(0.8) ? { replicas: choices.integer(0, 6) } : {}),
        selector: { matchLabels: labels },
        template,
      },
    },
  };
  return [capacityBuffer(spec, name), ...(maybe(0.3, 'buffer for nothing', 'mixed') ? [] : [workload])];
}

/** A pool of a fixed size: its nodes take pods, but it doesn't grow for them. */
export function asStatic(pool: NodePool, { choices, maybe }: Making): NodePool {
  const { weight: _, limits: __, ...spec } = pool.spec;
  const limits = maybe(0.6, 'static pool with a limit', 'mixed')
    ? { limits: { nodes: String(choices.integer(0, 3)) } }
    : {};
  return merge({ ...pool, spec }, { spec: { replicas: choices.integer(0, 4), ...limits } });
}
