import type { Pod } from '../../src/kube/objects.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';

/** A pod of the default namespace that asks for nothing. */
export function pod(overrides: Overrides<Pod> = {}): Pod {
  const base: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uniqueName('pod'), namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'pause' }] },
  };
  return merge(base, overrides);
}

/** The same, refused by the scheduler. */
export function unschedulablePod(overrides: Overrides<Pod> = {}): Pod {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] as const;
  return merge(pod({ status: { phase: 'Pending', conditions } }), overrides);
}

/** Container list of a pod with these requests, to be put under `spec`. */
export function requesting(requests: Readonly<Record<string, string>>): Pod['spec'] {
  return { containers: [{ name: 'main', image: 'pause', resources: { requests } }] };
}
