/** A node that is there: its labels are what they are, its room is what is left (karpenter-core.md 4.5). */
import type { Pod, Taint } from '../../src/kube/objects.ts';
import { isOwnedBy, isTerminal } from '../../src/kube/pods.ts';
import type { StateNode, World } from '../../src/scheduling/index.ts';
import { type Amounts, difference, fits, sum } from './amounts.ts';
import { type Daemon, overheadOf, toleratesTaints } from './daemons.ts';
import { limitsOfNode } from './learned.ts';
import { isInitialized, labelsOf, nameOf, sizeOf } from './node-state.ts';
import { type Port, portsClash, portsOf, requestsOf } from './pod-needs.ts';
import { type Labels, labelsAsWishes, meets, type Wishes } from './requirements.ts';
import { taintsOf, toleratesAll } from './taints.ts';
import type { Topology } from './topology.ts';
import { type Attached, joined, type Volumes, withinLimits } from './volumes.ts';

export class ExistingNode {
  readonly state: StateNode;
  readonly name: string;
  readonly pods: Pod[] = [];
  readonly #hostname: string;
  readonly #labels: Labels;
  readonly #wishes: Wishes;
  readonly #taints: readonly Taint[];
  readonly #limits: ReadonlyMap<string, number>;
  readonly #volumes: Volumes;
  #room: Amounts;
  #ports: readonly Port[];
  #attached: Attached;

  constructor(state: StateNode, world: World, daemons: readonly Daemon[], volumes: Volumes) {
    this.state = state;
    this.name = nameOf(state);
    this.#labels = labelsOf(state);
    this.#hostname = this.#labels['kubernetes.io/hostname'] || this.name;
    this.#wishes = labelsAsWishes({ ...this.#labels, 'kubernetes.io/hostname': this.#hostname });
    this.#taints = taintsOf(state);
    this.#volumes = volumes;
    const { metadata } = state.node ?? {};
    const bound = world.pods.filter((pod) => metadata && pod.spec.nodeName === metadata.name && !isTerminal(pod));
    this.#limits = limitsOfNode(state, world, volumes);
    this.#ports = bound.flatMap(portsOf);
    this.#attached = bound.map((pod) => volumes.attached(pod)).reduce(joined, new Map());
    this.#room = difference(
      difference(sizeOf(state, 'allocatable'), sum(...bound.map(requestsOf))),
      this.#missingDaemons(daemons, bound),
    );
  }

  get isInitialized(): boolean {
    return isInitialized(this.state);
  }

  /** @param wishes what the pod asks of its node, with as many preferences as it still has */
  take(pod: Pod, wishes: Wishes, topology: Topology): boolean {
    const places = this.#volumes.alternatives(pod) ?? [new Map()];
    const possible =
      toleratesAll(this.#taints, pod.spec.tolerations) &&
      withinLimits(joined(this.#attached, this.#volumes.attached(pod)), this.#limits) &&
      !portsClash(portsOf(pod), this.#ports) &&
      fits(requestsOf(pod), this.#room) &&
      meets(this.#wishes, wishes) &&
      places.some((place) => meets(this.#wishes, place)) &&
      topology.allowsNode(pod, this.#labels, this.#hostname);
    if (possible) this.#add(pod, topology);
    return possible;
  }

  #add(pod: Pod, topology: Topology): void {
    this.pods.push(pod);
    this.#room = difference({ ...zeros(requestsOf(pod)), ...this.#room }, requestsOf(pod));
    this.#ports = [...this.#ports, ...portsOf(pod)];
    this.#attached = joined(this.#attached, this.#volumes.attached(pod));
    topology.recordOnNode(pod, this.#labels, this.#hostname, this.#taints);
  }

  /** What daemons that are expected here will ask for beyond what those that run do. */
  #missingDaemons(daemons: readonly Daemon[], bound: readonly Pod[]): Amounts {
    const labels = labelsAsWishes(this.#labels);
    const expected = daemons.filter(
      (daemon) => toleratesTaints(daemon, this.#taints) && daemon.wishes.some((one) => meets(labels, one)),
    );
    const running = bound.filter((pod) => isOwnedBy(pod, 'DaemonSet', 'apps'));
    const missing = difference(overheadOf(expected), sum(...running.map(requestsOf)));
    return Object.fromEntries(Object.entries(missing).map(([name, amount]) => [name, Math.max(0, amount)]));
  }
}

function zeros(names: Amounts): Amounts {
  return Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
}
