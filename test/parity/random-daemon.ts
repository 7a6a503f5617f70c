import type { KubeObject, NodeAffinity, Pod, PodSpec } from '../../src/kube/objects.ts';
import { pod } from '../factories/index.ts';
import { randomExpression } from './random-requirements.ts';
import { randomPort, randomRequests, randomTolerations } from './random-workload.ts';
import type { Making } from './random-world.ts';

/** A DaemonSet, perhaps with pods of it on some of the nodes. */
export function randomDaemonSet(making: Making, name: string, nodes: readonly string[]): KubeObject[] {
  const { choices, maybe } = making;
  const labels = { daemon: name };
  const spec = randomDaemonSpec(making);
  const daemonSet: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    ...{ spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } },
  };
  if (nodes.length === 0 || !maybe(0.3, 'daemon pods', 'mixed')) return [daemonSet];
  // Its pods may be of another age than the template.
  const running = maybe(0.3, 'daemon pods with other requests', 'mixed')
    ? { ...spec, containers: spec.containers.map((c) => ({ ...c, resources: { requests: randomRequests(making) } })) }
    : spec;
  return [daemonSet, ...choices.some(nodes).map((node) => daemonPod(name, labels, running, node))];
}

function daemonPod(name: string, labels: Record<string, string>, spec: PodSpec, nodeName: string): Pod {
  const nodeAffinity: NodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
    },
  };
  return pod({
    metadata: {
      name: `${name}-${nodeName}`,
      labels,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `uid-${name}`, controller: true }],
    },
    spec: { ...spec, nodeName, affinity: { ...spec.affinity, nodeAffinity } },
    status: { phase: 'Running' },
  });
}

function randomDaemonSpec(making: Making): PodSpec {
  const { choices, maybe } = making;
  const nodeSelector = choices.pick<Record<string, string> | undefined>([
    undefined,
    undefined,
    { 'kubernetes.io/arch': 'amd64' },
    { 'karpenter.kwok.sh/instance-family': 'm' },
    { 'karpenter.sh/initialized': 'true' },
  ]);
  const ports = maybe(0.2, 'daemon host port', 'mixed') ? [randomPort(making)] : undefined;
  const terms = maybe(0.3, 'daemon node affinity', 'mixed')
    ? Array.from({ length: maybe(0.3, 'daemon alternative terms', 'mixed') ? 2 : 1 }, () => ({
        matchExpressions: [randomExpression(making, 'pod')],
      }))
    : undefined;
  const tolerations = choices.chance(0.5) ? [{ operator: 'Exists' as const }] : randomTolerations(making);
  const resources = choices.pick([
    { requests: randomRequests(making) },
    { requests: randomRequests(making) },
    { requests: randomRequests(making) },
    { limits: { cpu: '200m', memory: '128Mi' } },
    {},
  ]);
  return {
    containers: [{ name: 'main', image: 'pause', resources, ...(ports ? { ports } : {}) }],
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(terms
      ? { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } }
      : {}),
    ...(tolerations.length > 0 ? { tolerations } : {}),
  };
}
