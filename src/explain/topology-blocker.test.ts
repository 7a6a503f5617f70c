import { expect, it } from 'vitest';
import { topologyBlock } from './topology-blocker.ts';

it('reads the counts of a spread constraint', () => {
  const message =
    'unsatisfiable topology constraint for topology spread, key=zone (counts = map[a:2 b:0], podDomains = zone Exists';
  expect(topologyBlock({ code: 'TopologySpread', subject: 'zone', message })).toEqual({
    rule: 'TopologySpread',
    key: 'zone',
    counts: { a: 2, b: 0 },
  });
});

it('has nothing to say about other rules', () => {
  expect(
    topologyBlock({ code: 'InsufficientResources', subject: 'cpu', message: 'counts = map[a:2]' }),
  ).toBeUndefined();
});
