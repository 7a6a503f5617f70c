import type { Deployment, Pod } from '../../src/kube/objects.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';
import { requesting } from './pod.ts';

/** A deployment whose pods ask for one cpu each. */
export function deployment(replicas: number, overrides: Overrides<Deployment> = {}): Deployment {
  const name = overrides.metadata?.name ?? uniqueName('deployment');
  const labels = { app: name };
  const base: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: requesting({ cpu: '1' }) as Pod['spec'] },
    },
  };
  return merge(base, overrides);
}
