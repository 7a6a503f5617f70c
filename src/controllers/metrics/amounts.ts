import type { Labels, Series } from '../../metrics/metrics.ts';
import type { Resources } from '../../scheduling/resources.ts';

/** Upstream's names for resources: `ephemeral-storage` → `ephemeral_storage`. */
const resourceType = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** Cores, in thousandths; of everything else whole units, rounded up, as upstream has them. */
const inUnits = (name: string, amount: number): number => (name === 'cpu' ? amount / 1000 : Math.ceil(amount / 1000));

/** One series for each resource. */
export function perResource(labels: Labels, resources: Resources): readonly Series[] {
  return Object.entries(resources).map(([name, amount]) => ({
    labels: { ...labels, resource_type: resourceType(name) },
    value: inUnits(name, amount),
  }));
}

/** How many percent of what is there are used, for each resource that there is any of. */
export function shares(used: Resources, available: Resources): readonly Series[] {
  return Object.entries(available)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => ({
      labels: { resource_type: resourceType(name) },
      value: (100 * (used[name] ?? 0)) / amount,
    }));
}
