/** What nodes that run teach about their types, beyond what the provider says of them. */
import type { InstanceType, StateNode, World } from '../../src/scheduling/index.ts';
import { amounts, sum } from './amounts.ts';
import { isInitialized, labelsOf } from './node-state.ts';
import type { Volumes } from './volumes.ts';

const EVERY_NODE_REPORTS = ['cpu', 'memory', 'ephemeral-storage', 'pods'];
const ATTACHABLE = 'attachable-volumes-csi-';

/** A type is worth no more in a pool than its worst node there turned out, measured by what that node's claim promised. */
export function asTurnedOut(type: InstanceType, pool: string, { nodes }: World): InstanceType {
  const missing = nodes.filter((node) => isOf(node, type, pool) && isRegistered(node)).map(broken);
  const worst = Object.fromEntries(
    EVERY_NODE_REPORTS.map((name) => [name, Math.max(0, ...missing.map((less) => less[name] ?? 0))]),
  );
  if (Object.values(worst).every((amount) => amount === 0)) return type;
  const systemReserved = sum(type.overhead.systemReserved ?? {}, worst);
  return { ...type, overhead: { ...type.overhead, systemReserved } };
}

function isOf(node: StateNode, { name }: InstanceType, pool: string): boolean {
  const labels = labelsOf(node);
  return labels['node.kubernetes.io/instance-type'] === name && labels['karpenter.sh/nodepool'] === pool;
}

function isRegistered({ node, nodeClaim }: StateNode): boolean {
  return nodeClaim !== undefined && node?.metadata.labels?.['karpenter.sh/registered'] === 'true';
}

function broken({ node, nodeClaim }: StateNode): Readonly<Record<string, number>> {
  const [real, promised] = [amounts(node?.status?.allocatable), amounts(nodeClaim?.status?.allocatable)];
  return Object.fromEntries(
    EVERY_NODE_REPORTS.filter((name) => real[name] !== undefined).map((name) => [
      name,
      (promised[name] ?? 0) - (real[name] ?? 0),
    ]),
  );
}

/** Driver → volumes that a node of the type can attach: as the type declares, else the most that any node of it can. */
export function attachLimits(name: string, { nodes, pools }: World, volumes: Volumes): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const node of nodes) {
    if (labelsOf(node)['node.kubernetes.io/instance-type'] !== name || !node.node) continue;
    for (const [driver, limit] of volumes.limitsOf(node.node.metadata.name)) {
      limits.set(driver, Math.max(limit, limits.get(driver) ?? 0));
    }
  }
  const type = pools.flatMap(({ instanceTypes }) => instanceTypes).find((one) => one.name === name);
  for (const [resource, amount] of Object.entries(type?.capacity ?? {})) {
    if (resource.startsWith(ATTACHABLE)) limits.set(resource.slice(ATTACHABLE.length), amount / 1000);
  }
  return limits;
}

/** What the node itself says; while it starts, its type speaks of drivers that have not reported yet. */
export function limitsOfNode(node: StateNode, world: World, volumes: Volumes): ReadonlyMap<string, number> {
  const own = volumes.limitsOf(node.node?.metadata.name ?? '');
  if (isInitialized(node)) return own;
  return new Map([...attachLimits(labelsOf(node)['node.kubernetes.io/instance-type'] ?? '', world, volumes), ...own]);
}
