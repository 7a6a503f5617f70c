import { expect, it } from 'vitest';
import { missingPart } from './missing-part.ts';

const pod = (spec: unknown) => ({ kind: 'Pod', spec });

it.each([
  [pod({ containers: [] }), undefined],
  [{ kind: 'ConfigMap' }, undefined],
  [{ kind: 'Pod' }, { path: 'spec', expected: 'a mapping', found: 'nothing' }],
  [pod({}), { path: 'spec.containers', expected: 'a list', found: 'nothing' }],
  [pod({ containers: null }), { path: 'spec.containers', expected: 'a list', found: 'null' }],
  [pod({ containers: { name: 'a' } }), { path: 'spec.containers', expected: 'a list', found: 'a mapping' }],
  [pod({ containers: [{}, 'b'] }), { path: 'spec.containers[1]', expected: 'a mapping', found: 'the string "b"' }],
  [
    { kind: 'NodePool', spec: { template: [] } },
    { path: 'spec.template', expected: 'a mapping', found: 'a list' },
  ],
])('what %j lacks is named', (object, expected) => {
  expect(missingPart(object)).toEqual(expected);
});
