import type { KubeObject } from '../../src/kube/objects.ts';
import { randomDaemonSet } from './random-daemon.ts';
import { randomNode } from './random-node.ts';
import { storage } from './random-volumes.ts';
import type { Making } from './random-world.ts';

/** What is there already: namespaces, nodes with pods, daemons. */
export function randomCluster(making: Making, pools: number): KubeObject[] {
  const { choices, maybe } = making;
  const objects: KubeObject[] = [
    { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { tier: 'one' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    ...storage(),
  ];
  const names: string[] = [];
  if (maybe(0.5, 'existing nodes')) {
    const count = choices.integer(1, 6);
    for (let i = 0; i < count; i++) {
      names.push(`node-${i}`);
      objects.push(...randomNode(making, `node-${i}`, pools));
    }
  }
  if (maybe(0.4, 'daemonsets')) {
    const count = choices.integer(1, 3);
    for (let i = 0; i < count; i++) objects.push(...randomDaemonSet(making, `daemon-${i}`, names));
    if (maybe(0.1, 'LimitRange', 'mixed')) objects.push(limitRange());
  }
  if (maybe(0.1, 'PDB', 'mixed')) objects.push(budget(making));
  return objects;
}

function limitRange(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'defaults', namespace: 'default' },
    ...{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '500m', memory: '256Mi' } }] } },
  };
}

/** Pods that it holds back don't move off a node that goes. */
function budget({ choices }: Making): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    ...{
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
      status: { disruptionsAllowed: choices.integer(0, 1), currentHealthy: 2, desiredHealthy: 1, expectedPods: 3 },
    },
  };
}
