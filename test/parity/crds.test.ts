import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { KWOK_NODE_CLASS_DEFINITION } from '../../kwok-provider/apis/kwok-node-class-definition.ts';
import { CORE_DEFINITIONS } from '../../src/apis/crds/index.ts';
import { type Definition, namesOf, withoutTexts } from './definitions.ts';

const oracle = process.env.KARPENTER_ORACLE;

describe.skipIf(oracle === undefined)('our definitions (KARPENTER_ORACLE names the oracle program)', () => {
  const answer = oracle === undefined ? '[]' : execFileSync(oracle, ['crds'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const upstream = JSON.parse(answer) as readonly Definition[];
  const ours: readonly Definition[] = [...CORE_DEFINITIONS, KWOK_NODE_CLASS_DEFINITION];

  it('are the ones upstream has', () => {
    expect(namesOf(ours)).toEqual(namesOf(upstream));
  });

  it.each(ours.map((definition) => [definition.metadata.name, definition] as const))(
    'have the fields, defaults and rules of upstream: %s',
    (name, definition) => {
      const theirs = upstream.find(({ metadata }) => metadata.name === name);
      expect(withoutTexts(definition.spec)).toEqual(withoutTexts(theirs?.spec));
    },
  );
});
