import { expect, test } from 'vitest';
import type { Pod } from '../../src/kube/objects.ts';
import { nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { errors, newNodes, schedule } from './schedule.ts';

const pending = (name: string, cpu: string) => unschedulablePod({ metadata: { name }, spec: requesting({ cpu }) });
const PODS = [pending('a', '4'), pending('b', '3'), pending('c', '2'), pending('d', '1')];
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const after = (attempts: number) => {
  let made = 0;
  return () => ++made >= attempts;
};

test('a pass that runs out of time keeps what it has placed and names the rest in order', () => {
  const results = schedule([nodePool(), ...PODS], undefined, { expired: after(2) });
  expect(newNodes(results).flat().sort()).toEqual(['a', 'b']);
  expect([names(results.notReached), results.timedOut]).toEqual([['c', 'd'], true]);
});

test('a pod that has failed has its reason and is not among those that were not reached', () => {
  const results = schedule([nodePool(), pending('huge', '5000'), ...PODS], undefined, { expired: after(2) });
  expect(errors(results)).toEqual({ huge: 'InsufficientResources' });
  expect(names(results.notReached)).toEqual(['b', 'c', 'd']);
});

test('even a pass whose time is up at once tries one pod', () => {
  const results = schedule([nodePool(), ...PODS], undefined, { expired: () => true });
  expect(newNodes(results)).toEqual([['a']]);
});

test('those that have been passed over most often go first, then big ones', () => {
  const missed: Readonly<Record<string, number>> = { c: 1, d: 2, b: 1 };
  const passesMissed = (pod: Pod) => missed[pod.metadata.name] ?? 0;
  const results = schedule([nodePool(), ...PODS], undefined, { expired: after(1), passesMissed });
  expect([...newNodes(results).flat(), ...names(results.notReached)]).toEqual(['d', 'b', 'c', 'a']);
});
