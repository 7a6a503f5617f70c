import type { Condition } from '../../../src/kube/objects.ts';
import { type Actions, actionsOf } from './actions.ts';
import { type Difference, differences } from './differences.ts';
import type { Outcome, Side } from './side.ts';
import type { World } from './world.ts';

const NOTHING: Actions = { fleets: [], templates: [] };

/** What the two controllers did differently, by world. */
export function compare(
  worlds: readonly World[],
  ours: Side,
  theirs: Side,
): ReadonlyMap<string, readonly Difference[]> {
  const [mine, other] = [actionsOf(ours), actionsOf(theirs)];
  const found = worlds.map(({ name }): [string, readonly Difference[]] => {
    const view = (side: Side, actions: ReadonlyMap<string, Actions>) => ({
      ...viewOf(side.outcomes.get(name)),
      events: eventsOf(side, name),
      fleets: (actions.get(name) ?? NOTHING).fleets,
    });
    return [name, differences(view(ours, mine), view(theirs, other))];
  });
  return new Map(found.filter(([, list]) => list.length > 0));
}

function viewOf(outcome: Outcome | undefined) {
  const { claim, nodeClass, launched } = outcome ?? {};
  const { conditions: classConditions, ...classStatus } = nodeClass?.status ?? {};
  const { conditions = [], providerID: _, ...claimStatus } = claim?.status ?? {};
  return {
    launched,
    nodeClass: {
      ...classStatus,
      conditions: told(classConditions ?? []),
      annotations: nodeClass?.metadata.annotations,
      finalizers: nodeClass?.metadata.finalizers,
    },
    claim:
      launched !== 'yes'
        ? {}
        : {
            ...claimStatus,
            launch: told(conditions.filter(({ type }) => type === 'Launched')),
            labels: claim?.metadata.labels,
            annotations: claim?.metadata.annotations,
            finalizers: claim?.metadata.finalizers,
          },
  };
}

const told = (conditions: readonly Condition[]) =>
  Object.fromEntries(conditions.map(({ type, status, reason, message }) => [type, { status, reason, message }]));

/** Once each, whatever their number. */
function eventsOf({ events }: Side, name: string): readonly string[] {
  const lines = events
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ involvedObject, type, reason, message }) => `${involvedObject.kind} ${type} ${reason}: ${message}`);
  return [...new Set(lines)].sort();
}
