import { ANNOTATION_SOLD_OUT } from '../../../src/aws-provider/apis/labels.ts';
import type { Condition } from '../../../src/kube/objects.ts';
import { type Actions, actionsOf } from './actions.ts';
import { type Difference, differences } from './differences.ts';
import type { Outcome, Side } from './side.ts';
import { CLUSTER, type World } from './world.ts';

/** Names of instance profiles and launch templates have a part that is made up anew each time. */
const MADE_UP = new RegExp(`${CLUSTER}_\\d{10,}`, 'g');

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
    return [name, differences(withoutChance(view(ours, mine)), withoutChance(view(theirs, other)))];
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
      // Subnets stand in the order of the addresses that are left in them just then; the order of one image's uses is chance.
      subnets: byText(classStatus.subnets ?? []),
      amis: byText(classStatus.amis ?? []),
      conditions: told(classConditions ?? []),
      annotations: { ...nodeClass?.metadata.annotations, [ANNOTATION_SOLD_OUT]: undefined },
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
  Object.fromEntries(
    conditions.map(({ type, status, reason, message = '' }) => {
      // What a class lacks is named in the order of the seconds in which it was found out.
      const parts = type === 'Ready' ? message.split(', ').sort().join(', ') : message;
      return [type, { status, reason, message: parts }];
    }),
  );

const byText = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item): [string, T] => [JSON.stringify(item), item])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);

const withoutChance = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(MADE_UP, `${CLUSTER}_#`)) as T;

/** Once each, whatever their number. */
function eventsOf({ events }: Side, name: string): readonly string[] {
  const lines = events
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ involvedObject, type, reason, message }) => `${involvedObject.kind} ${type} ${reason}: ${message}`);
  return [...new Set(lines)].sort();
}
