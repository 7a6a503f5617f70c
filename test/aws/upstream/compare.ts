import type { Condition, ResourceList } from '../../../src/kube/objects.ts';
import { parseQuantityMilli } from '../../../src/kube/quantity.ts';
import { type Actions, actionsOf } from './actions.ts';
import { type Difference, differences } from './differences.ts';
import { KNOWN } from './known.ts';
import type { Outcome, Side } from './side.ts';
import { CLUSTER, type World } from './world.ts';

/** Names of instance profiles and launch templates have a part that is made up anew each time. */
const MADE_UP = new RegExp(`${CLUSTER}_\\d{10,}`, 'g');

const NOTHING: Actions = { fleets: [], templates: [] };

export interface Comparison {
  /** What no row of the table of differences says, by world. */
  readonly unlisted: ReadonlyMap<string, readonly Difference[]>;
  /** How many times each row of the table shows. */
  readonly listed: ReadonlyMap<string, number>;
}

/** What the two controllers did differently. */
export function compare(worlds: readonly World[], ours: Side, theirs: Side): Comparison {
  const [mine, other] = [actionsOf(ours), actionsOf(theirs)];
  const unlisted = new Map<string, readonly Difference[]>();
  const listed = new Map(KNOWN.map(({ row }) => [row, 0]));
  for (const { name } of worlds) {
    const view = (side: Side, actions: ReadonlyMap<string, Actions>) => ({
      ...viewOf(side.outcomes.get(name)),
      events: eventsOf(side, name),
      fleets: (actions.get(name) ?? NOTHING).fleets,
    });
    const [a, b] = [withoutChance(view(ours, mine)), withoutChance(view(theirs, other))];
    // One that is not decided differs in everything.
    const found = a.launched === b.launched ? differences(a, b) : differences(a.launched, b.launched, 'launched');
    const left = found.filter((difference) => {
      const row = KNOWN.find(({ covers }) => covers(difference))?.row;
      if (row !== undefined) listed.set(row, (listed.get(row) ?? 0) + 1);
      return row === undefined;
    });
    if (left.length > 0) unlisted.set(name, left);
  }
  return { unlisted, listed };
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
      annotations: nodeClass?.metadata.annotations,
      finalizers: nodeClass?.metadata.finalizers,
    },
    claim:
      launched !== 'yes'
        ? {}
        : {
            ...claimStatus,
            capacity: amounts(claimStatus.capacity),
            allocatable: amounts(claimStatus.allocatable),
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
      return [type, { status, reason, message: type === 'Ready' ? anyOrder(message) : message }];
    }),
  );

/** What a class lacks is named in the order of the seconds in which it was found out. */
const anyOrder = (list: string): string => list.split(', ').sort().join(', ');

/** Upstream's errors end with the code, the call and the id of the request, which is another one each time. */
const said = (message: string): string =>
  message
    .replace(/ \(aws-error-code=.*$/s, '')
    .replace(/(Reason: UnhealthyDependents, Message: )(.*)$/, (_, head: string, list: string) => head + anyOrder(list));

const byText = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item): [string, T] => [JSON.stringify(item), item])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);

const withoutChance = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(MADE_UP, `${CLUSTER}_#`)) as T;

/** However they are written. */
const amounts = (list: ResourceList = {}) =>
  Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, parseQuantityMilli(String(amount))]));

/** Once each, whatever their number. When a pool gets to know that its class is ready, and whether a claim is asked about its
 * disruption, is a matter of seconds. */
function eventsOf({ events }: Side, name: string): Readonly<Record<string, true>> {
  const lines = events
    .filter(({ involvedObject }) => involvedObject.name === name && involvedObject.kind !== 'NodePool')
    .filter(({ reason }) => reason !== 'DisruptionBlocked')
    .map(({ involvedObject, type, reason, message }) => `${involvedObject.kind} ${type} ${reason}: ${said(message)}`);
  return Object.fromEntries(lines.map((line) => [line, true]));
}
