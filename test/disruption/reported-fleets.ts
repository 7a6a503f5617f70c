/** What the cases of known-faults*.test.ts are made of: nodes of types with sizes and prices of one's own. */
import { LABEL_HOSTNAME, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../../src/apis/labels.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import { type Command, Disruption, METHOD_NAMES, type MethodName } from '../../src/disruption/index.ts';
import type { Pod, PodSpec } from '../../src/kube/objects.ts';
import { formatMilli } from '../../src/kube/quantity.ts';
import type { InstanceType, StateNode, World } from '../../src/scheduling/index.ts';
import { allocatable } from '../../src/scheduling/instance-offerings.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import { boundPod, disruptOptions, type Overrides, runningNode, world } from '../factories/index.ts';

export interface FleetNode {
  readonly pool: NodePool;
  readonly type: InstanceType;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conditions?: Parameters<typeof runningNode>[0]['conditions'];
  readonly state?: Partial<StateNode>;
}

/** A running node of the type, as the provider would have made it. */
export function nodeOf(name: string, options: FleetNode): StateNode {
  const { pool, type, zone = 'zone-a', capacityType = 'on-demand', conditions, state = {} } = options;
  const base = runningNode({ pool, name, zone, capacityType, ...(conditions && { conditions }), state });
  const left = Object.fromEntries(Object.entries(allocatable(type)).map(([k, milli]) => [k, formatMilli(k, milli)]));
  const labels = {
    ...base.node?.metadata.labels,
    [LABEL_NODEPOOL]: pool.metadata.name,
    [LABEL_INSTANCE_TYPE]: type.name,
    [LABEL_ZONE]: zone,
    [LABEL_HOSTNAME]: name,
    ...options.labels,
  };
  const { node, nodeClaim } = base;
  if (!node || !nodeClaim) throw new Error('a running node has both halves');
  const sizes = { capacity: left, allocatable: left };
  return {
    ...base,
    node: { ...node, metadata: { ...node.metadata, labels }, status: { ...node.status, ...sizes } },
    nodeClaim: {
      ...nodeClaim,
      metadata: { ...nodeClaim.metadata, labels },
      status: { ...nodeClaim.status, ...sizes },
    },
  };
}

/** A running pod called `name`, labelled `app: <app>`. */
export function on(
  node: StateNode,
  name: string,
  requests: Readonly<Record<string, string>>,
  spec: Partial<PodSpec> = {},
  rest: Overrides<Pod> = {},
): Pod {
  const labels = { app: 'a', ...rest.metadata?.labels };
  const base = boundPod(node, requests, { ...rest, metadata: { ...rest.metadata, name, labels } });
  return { ...base, spec: { ...base.spec, ...spec } };
}

/** Every pool may buy every type. */
export function fleet(
  types: readonly InstanceType[],
  pools: readonly NodePool[],
  parts: Partial<Omit<World, 'pools'>>,
): World {
  const base = world({ pools, ...parts });
  return { ...base, pools: base.pools.map(({ nodePool }) => ({ nodePool, instanceTypes: types })) };
}

export function disruptionOf(w: World, options: Parameters<typeof disruptOptions>[0] = {}): Disruption {
  return new Disruption(w, disruptOptions(options));
}

/** What the controller would do now: the first command of the first method that has one. */
export function next(w: World, options: Parameters<typeof disruptOptions>[0] = {}): Command | undefined {
  const disruption = disruptionOf(w, options);
  return METHOD_NAMES.flatMap((name) => disruption.run(name).commands)[0];
}

export const commandsOf = (w: World, method: MethodName): readonly Command[] => disruptionOf(w).run(method).commands;

export const names = (command: Command | undefined): string[] => command?.candidates.map(stateNodeName).sort() ?? [];
/** Per replacement, its types in launch order. */
export const bought = (command: Command | undefined): string[][] =>
  command?.replacements.map(({ instanceTypes }) => instanceTypes.map(({ name }) => name)) ?? [];
export const requirementsOf = (command: Command | undefined): string[] =>
  command?.replacements.flatMap(({ requirements }) => [...requirements].map(String)) ?? [];
