import type { Pod } from '../../src/kube/objects.ts';

const HOSTS_PER_NODE = 253;
const OVERFLOW_BASE = octets(100, 64, 0, 0);

function octets(a: number, b: number, c: number, d: number): number {
  return ((a * 256 + b) * 256 + c) * 256 + d;
}

function parse(address: string): number {
  return address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

function format(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address / 2 ** shift) & 255).join('.');
}

/**
 * Addresses that no two of the living share: nodes in 172.16.0.0/12, each with a /24 for its pods in 10.0.0.0/8, and
 * 100.64.0.0/10 for pods beyond 253 on one node. Those already in use are taken over, so that a restart changes none.
 */
export class Addresses {
  readonly #nodes = new Map<string, number>();
  readonly #freeNodes: number[] = [];
  readonly #pods = new Map<string, number>();
  readonly #taken = new Set<number>();
  #overflow = 0;

  nodeIp(name: string): string {
    return format(octets(172, 16, 0, 0) + this.#node(name) + 2);
  }

  podCidr(name: string): string {
    return `${format(octets(10, 0, 0, 0) + this.#node(name) * 256)}/24`;
  }

  /** Remembers which range a node was given by an earlier run. */
  adoptNode(name: string, podCidr: string): void {
    const [, a, b] = /^10\.(\d+)\.(\d+)\.0\/24$/.exec(podCidr) ?? [];
    if (a !== undefined && b !== undefined && !this.#nodes.has(name))
      this.#nodes.set(name, Number(a) * 256 + Number(b));
  }

  releaseNode(name: string): void {
    const index = this.#nodes.get(name);
    if (index === undefined) return;
    this.#nodes.delete(name);
    this.#freeNodes.push(index);
  }

  /** The pod's address, the same each time it is asked for. */
  podIp(pod: Pod, nodeName: string): string {
    if (pod.spec.hostNetwork === true) return this.nodeIp(nodeName);
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    if (known !== undefined) return format(known);
    const address = this.#free(nodeName);
    this.#take(uid, address);
    return format(address);
  }

  adoptPod(pod: Pod): void {
    const { podIP } = pod.status ?? {};
    if (podIP !== undefined && pod.spec.hostNetwork !== true) this.#take(pod.metadata.uid ?? '', parse(podIP));
  }

  releasePod(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const address = this.#pods.get(uid);
    if (address !== undefined) this.#taken.delete(address);
    this.#pods.delete(uid);
  }

  #take(uid: string, address: number): void {
    this.#pods.set(uid, address);
    this.#taken.add(address);
  }

  #node(name: string): number {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const used = new Set(this.#freeNodes.length > 0 ? [] : this.#nodes.values());
    let index = this.#freeNodes.shift() ?? this.#nodes.size;
    while (used.has(index)) index++;
    this.#nodes.set(name, index);
    return index;
  }

  #free(nodeName: string): number {
    const base = octets(10, 0, 0, 0) + this.#node(nodeName) * 256;
    for (let host = 2; host < HOSTS_PER_NODE + 2; host++) {
      if (!this.#taken.has(base + host)) return base + host;
    }
    do this.#overflow++;
    while (this.#taken.has(OVERFLOW_BASE + this.#overflow));
    return OVERFLOW_BASE + this.#overflow;
  }
}
