import type { PodDisruptionBudget } from '../../src/kube/objects.ts';
import { APPS } from './random-fleet-pods.ts';
import type { Making } from './random-world.ts';

export function randomBudgetsOfPods(making: Making): PodDisruptionBudget[] {
  const { choices, maybe } = making;
  const budgets = APPS.filter(() => choices.chance(0.4)).map((app) => budgetOf(making, app, { matchLabels: { app } }));
  if (maybe(0.2, 'several PDBs on a pod')) {
    budgets.push(
      budgetOf(making, 'second', { matchExpressions: [{ key: 'app', operator: 'In', values: choices.some(APPS, 2) }] }),
    );
  }
  if (maybe(0.08, 'PDB of all pods')) budgets.push(budgetOf(making, 'all', {}));
  return budgets;
}

function budgetOf(
  { choices, maybe }: Making,
  name: string,
  selector: PodDisruptionBudget['spec']['selector'],
): PodDisruptionBudget {
  const disruptionsAllowed = choices.pick([0, 1, 1, 2]);
  const limit = choices.pick([
    { maxUnavailable: 1 },
    { maxUnavailable: 0 },
    { maxUnavailable: '0%' },
    { maxUnavailable: '50%' },
    { minAvailable: '100%' },
    { minAvailable: 2 },
    { minAvailable: '10%' },
  ]);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: choices.chance(0.9) ? 'default' : 'other' },
    spec: {
      selector,
      ...limit,
      ...(maybe(0.3, 'unhealthyPodEvictionPolicy')
        ? { unhealthyPodEvictionPolicy: choices.pick(['AlwaysAllow', 'AlwaysAllow', 'IfHealthyBudget']) }
        : {}),
    },
    status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 3 },
  };
}
