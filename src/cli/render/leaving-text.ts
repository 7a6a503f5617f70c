import type { Leaving } from '../../explain/leaving.ts';
import { ageOf } from '../age.ts';
import { count } from '../amounts.ts';
import { listed } from './listed.ts';
import type { View } from './view.ts';

/** Why the node goes, and what its drain waits for. */
export function leavingText({ because, since, pods, forcedAt }: Leaving, { style, now }: View): string {
  const age = ageOf(since, now);
  const what =
    because === 'Deleted'
      ? `It is being deleted, for ${age}`
      : `Its time was up ${age} ago, so it is deleted next, whatever budgets and do-not-disrupt say`;
  const byKeeper = Map.groupBy(pods, ({ keptBy }) => keptBy);
  const kept = [...byKeeper].flatMap(([keptBy, group]) => {
    if (keptBy === undefined) return [];
    const names = group.map(({ pod }) => pod);
    const who = names.length > 1 ? `${count(names.length, 'pod')}, ${listed(names)},` : names.join('');
    return [`  ${style.cross} ${who} may not be evicted: ${keptBy}\n`];
  });
  const free = (byKeeper.get(undefined) ?? []).map(({ pod }) => pod);
  const others = free.length > 0 ? [`  ${count(free.length, 'pod')} to be evicted: ${listed(free)}\n`] : [];
  if (pods.length === 0)
    return `${style.bold(what)}\n  no pod is in the way: what is left are its volumes and the instance\n`;
  const end = kept.length === 0 ? [] : [forcedAt ? `  at ${forcedAt} they are deleted all the same\n` : NO_END];
  return `${style.bold(`${what}; its drain waits for`)}\n${[...kept, ...others, ...end].join('')}`;
}

const NO_END = '  it waits until they may be: the claim has no terminationGracePeriod\n';
