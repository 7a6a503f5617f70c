import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../kind.ts';
import { applyJsonPatch } from './json-patch.ts';

const object: JsonObject = { data: { k: 'v' }, metadata: { annotations: { 'e.com/x': '1' }, finalizers: ['a', 'b'] } };
const data = (...patch: JsonObject[]) => (applyJsonPatch(object, patch) as JsonObject).data;
const finalizers = (...patch: JsonObject[]) =>
  ((applyJsonPatch(object, patch) as JsonObject).metadata as JsonObject).finalizers;

describe('a JSON patch', () => {
  it.each<[string, JsonObject, Json]>([
    ['adds', { op: 'add', path: '/data/n', value: '1' }, { k: 'v', n: '1' }],
    ['removes', { op: 'remove', path: '/data/k' }, {}],
    ['replaces', { op: 'replace', path: '/data/k', value: null }, { k: null }],
    [
      'adds where it should replace an absent member',
      { op: 'replace', path: '/data/n', value: 'x' },
      { k: 'v', n: 'x' },
    ],
    ['moves', { op: 'move', from: '/data/k', path: '/data/m' }, { m: 'v' }],
    ['copies', { op: 'copy', from: '/data/k', path: '/data/m' }, { k: 'v', m: 'v' }],
    ['tests', { op: 'test', path: '/data/k', value: 'v' }, { k: 'v' }],
    ['takes an absent member for null in a test', { op: 'test', path: '/data/nope', value: null }, { k: 'v' }],
    [
      'reads escapes',
      { op: 'copy', from: '/metadata/annotations/e.com~1x', path: '/data/a~0b' },
      { k: 'v', 'a~b': '1' },
    ],
    [
      'treats built-in names as data',
      { op: 'add', path: '/data/constructor', value: 'x' },
      { k: 'v', constructor: 'x' },
    ],
  ])('%s', (_, operation, expected) => {
    expect(data(operation)).toEqual(expected);
  });

  it.each<[string, JsonObject, Json]>([
    ['at its end', { op: 'add', path: '/metadata/finalizers/-', value: 'z' }, ['a', 'b', 'z']],
    ['at an index', { op: 'add', path: '/metadata/finalizers/0', value: 'z' }, ['z', 'a', 'b']],
    ['from the end', { op: 'remove', path: '/metadata/finalizers/-1' }, ['a']],
  ])('changes a list %s', (_, operation, expected) => {
    expect(finalizers(operation)).toEqual(expected);
  });

  it('replaces the whole document', () => {
    expect(applyJsonPatch(object, [{ op: 'replace', path: '', value: { a: 1 } }])).toEqual({ a: 1 });
  });

  it.each<[JsonObject]>([
    [{ op: 'add', path: '/binaryData/x', value: 'x' }],
    [{ op: 'add', path: '/metadata/finalizers/5', value: 'x' }],
    [{ op: 'add', path: '/metadata/finalizers/x', value: 'x' }],
    [{ op: 'add', path: 'data', value: {} }],
    [{ op: 'add', value: 'x' }],
    [{ op: 'add', path: '/data/x' }],
    [{ op: 'remove', path: '/data/nope' }],
    [{ op: 'replace', path: '/metadata/annotations/e.com/x', value: '3' }],
    [{ op: 'test', path: '/data/k', value: 'other' }],
    [{ op: 'copy', path: '/data/m' }],
    [{ op: 'frob', path: '/data/k' }],
    [{ path: '/data/k', value: 'x' }],
  ])('is refused where it cannot be done: %j', (operation) => {
    const message = 'the server rejected our request due to an error in our request';
    expect(() => applyJsonPatch(object, [operation])).toThrow(expect.objectContaining({ status: 422, message }));
  });

  it('is refused if it is no list or too long a list', () => {
    const message = 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp';
    expect(() => applyJsonPatch(object, {})).toThrow(expect.objectContaining({ status: 400, message }));
    const test = { op: 'test', path: '/data/k', value: 'v' };
    expect(() => applyJsonPatch(object, new Array<Json>(10_001).fill(test))).toThrow(
      expect.objectContaining({
        status: 413,
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      }),
    );
  });
});
