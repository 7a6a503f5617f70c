import type { Labels } from '../../kube/label-requirement.ts';
import type { Node, Taint } from '../../kube/objects.ts';
import { parseQuantityMilli, QuantityError } from '../../kube/quantity.ts';
import type { HostPort } from './host-ports.ts';
import type { LabelShape } from './label-shapes.ts';
import type { PodInfo } from './pod-info.ts';

/** A node and the sum of what is on it, kept up to date pod by pod. Amounts are in thousandths. */
export class NodeInfo {
  readonly name: string;
  readonly node: Node;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Readonly<Record<string, number>>;
  readonly allowedPods: number;
  readonly pods = new Map<string, PodInfo>();
  /** How many of the pods have each combination of namespace and labels. */
  readonly shapes = new Map<LabelShape, number>();
  readonly requested: Record<string, number> = {};
  /** With the scheduler's assumptions about pods that ask for nothing. */
  assumedCpu = 0;
  assumedMemory = 0;
  /** Pods with any affinity term, and those with required anti-affinity. */
  withAffinity = 0;
  withRequiredAntiAffinity = 0;

  constructor(node: Node) {
    this.node = node;
    this.name = node.metadata.name;
    this.labels = node.metadata.labels ?? {};
    this.taints = node.spec?.taints ?? [];
    this.allocatable = amounts(node.status?.allocatable);
    this.allowedPods = (this.allocatable.pods ?? 0) / 1000;
  }

  /** The same pods on a newer version of the node. */
  withNode(node: Node): NodeInfo {
    const next = new NodeInfo(node);
    for (const pod of this.pods.values()) next.add(pod);
    return next;
  }

  /** A copy to try things on. */
  clone(): NodeInfo {
    return this.withNode(this.node);
  }

  add(pod: PodInfo): void {
    this.remove(pod.key);
    this.pods.set(pod.key, pod);
    this.#count(pod, 1);
  }

  remove(key: string): PodInfo | undefined {
    const pod = this.pods.get(key);
    if (pod === undefined) return undefined;
    this.pods.delete(key);
    this.#count(pod, -1);
    return pod;
  }

  usedPorts(): readonly HostPort[] {
    const ports: HostPort[] = [];
    for (const { hostPorts } of this.pods.values()) if (hostPorts.length > 0) ports.push(...hostPorts);
    return ports;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    for (const [name, milli] of pod.requests) this.requested[name] = (this.requested[name] ?? 0) + sign * milli;
    const alike = (this.shapes.get(pod.shape) ?? 0) + sign;
    if (alike === 0) this.shapes.delete(pod.shape);
    else this.shapes.set(pod.shape, alike);
    this.assumedCpu += sign * pod.assumedCpu;
    this.assumedMemory += sign * pod.assumedMemory;
    if (pod.hasAffinity) this.withAffinity += sign;
    if (pod.requiredAntiAffinity.length > 0) this.withRequiredAntiAffinity += sign;
  }
}

function amounts(list: Readonly<Record<string, string>> | undefined): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(list ?? {})) {
    try {
      result[name] = parseQuantityMilli(quantity);
    } catch (error) {
      // Validation keeps these out; a node that slipped through just lacks the resource.
      if (!(error instanceof QuantityError)) throw error;
    }
  }
  return result;
}
