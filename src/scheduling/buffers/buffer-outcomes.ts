import type { Pod } from '../../kube/objects.ts';
import { providerID } from '../state-node.ts';
import type { Results } from '../types.ts';
import { bufferOf, isVirtualPod } from './virtual-pods.ts';

/** What became of a buffer's pods in one pass. */
export interface BufferOutcome {
  readonly existing: number;
  readonly new: number;
  readonly failed: number;
}

/** By key of the buffer; those without a pod in the pass are missing. */
export function bufferOutcomes(results: Results): ReadonlyMap<string, BufferOutcome> {
  const outcomes = new Map<string, BufferOutcome>();
  const count = (pods: Iterable<Pod>, what: keyof BufferOutcome): void => {
    for (const pod of pods) {
      const buffer = bufferOf(pod);
      if (buffer === undefined) continue;
      const outcome = outcomes.get(buffer) ?? { existing: 0, new: 0, failed: 0 };
      outcomes.set(buffer, { ...outcome, [what]: outcome[what] + 1 });
    }
  };
  for (const { pods } of results.existingNodes) count(pods, 'existing');
  for (const { pods } of results.newNodeClaims) count(pods, 'new');
  count(results.podErrors.keys(), 'failed');
  count(results.rejected?.keys() ?? [], 'failed');
  return outcomes;
}

/** How many virtual pods each node has room for, by providerID; nodes without any are missing. */
export function virtualPodsByNode(results: Results): ReadonlyMap<string, number> {
  return new Map(
    results.existingNodes.flatMap(({ node, pods }) => {
      const count = pods.filter(isVirtualPod).length;
      return count === 0 ? [] : [[providerID(node), count] as const];
    }),
  );
}
