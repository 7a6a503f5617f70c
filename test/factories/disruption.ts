/** What the tests of src/disruption start from, and how they read what comes out. */

import type { NodePool, NodePoolDisruption } from '../../src/apis/node-pool.ts';
import { Disruption } from '../../src/disruption/disruption.ts';
import type { DisruptOptions, MethodName, MethodResult } from '../../src/disruption/types.ts';
import type { PodDisruptionBudget } from '../../src/kube/objects.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { StateNode, World } from '../../src/scheduling/types.ts';
import { disruptOptions, nodePool } from './index.ts';

export const SMALL = { cpu: '1', memory: '1Gi' };

export function pool(disruption: Partial<NodePoolDisruption> = {}, spec: Partial<NodePool['spec']> = {}): NodePool {
  return nodePool({
    metadata: { name: 'default' },
    spec: {
      ...spec,
      disruption,
      template: {
        spec: {
          requirements: [
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          ],
        },
      },
    },
  });
}

export function run(w: World, method: MethodName, options: Partial<DisruptOptions> = {}): MethodResult {
  return new Disruption(w, disruptOptions(options)).run(method);
}

/** Candidate names of each command. */
export const goes = (result: MethodResult): string[][] =>
  result.commands.map((command) => command.candidates.map(stateNodeName).sort());

export const reasons = (result: MethodResult, node: StateNode): string[] =>
  (result.blocked.get(stateNodeName(node)) ?? []).map((blocker) => blocker.code);

export function pdb(name: string, labels: Record<string, string>, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: labels } },
    status: { disruptionsAllowed },
  };
}
