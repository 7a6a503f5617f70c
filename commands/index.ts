import type { CommandTable } from '../src/cli/command-table.ts';
import { OBJECT_TYPES } from '../src/cli/object-reference.ts';

/** Every command, in the order of the help page. */
export const commands: CommandTable = {
  status: {
    group: 'See',
    summary: 'pools, nodes, prices, pending pods and disruptions on one screen',
    load: () => import('./status.ts'),
  },
  explain: {
    group: 'See',
    summary: 'why a pod waits, why a node stays, what a claim or pool is up to',
    load: () => import('./explain.ts'),
    words: OBJECT_TYPES.map(({ name }) => name),
  },
  offerings: {
    group: 'See',
    summary: 'what NodePools can buy, at what price, and what is sold out',
    load: () => import('./offerings.ts'),
  },
  plan: {
    group: 'Try',
    summary: 'what would be launched for the pods that wait',
    load: () => import('./plan.ts'),
  },
  consolidate: {
    group: 'Try',
    summary: 'what would be consolidated next, what it saves, what blocks the rest',
    load: () => import('./consolidate.ts'),
  },
  chaos: {
    group: 'Try',
    summary: 'trouble on fake nodes: interrupt spot machines, sell offerings out',
    load: () => import('./chaos.ts'),
    words: ['interrupt', 'sold-out', 'available'],
    names: { interrupt: 'node' },
  },
  snapshot: {
    group: 'Try',
    summary: 'save the objects of a cluster, for --from',
    load: () => import('./snapshot.ts'),
  },
  up: {
    group: 'Run',
    summary: 'start a cluster with Karpenter in it, on this machine',
    load: () => import('./up.ts'),
  },
  down: {
    group: 'Run',
    summary: 'stop a local cluster and remove its state and its context',
    load: () => import('./down.ts'),
  },
  controller: {
    group: 'Run',
    summary: 'run the controller here, against the current cluster',
    load: () => import('./controller.ts'),
  },
  doctor: {
    group: 'Plugin',
    summary: 'whether the controller would work here, and what to mend',
    load: () => import('./doctor.ts'),
  },
  version: {
    group: 'Plugin',
    summary: 'versions of the plugin, of Karpenter and of the server',
    load: () => import('./version.ts'),
  },
};
