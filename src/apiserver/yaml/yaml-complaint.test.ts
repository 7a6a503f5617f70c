import { describe, expect, it } from 'vitest';
import { yamlComplaint } from './yaml-complaint.ts';

describe('YAML that can’t be read', () => {
  it.each([
    ['a: [b', "line 1: did not find expected ',' or ']'"],
    ['a: {b: c', "line 1: did not find expected ',' or '}'"],
    ['kind: ConfigMap\n  apiVersion: [v1\n', 'line 2: mapping values are not allowed in this context'],
    ['a: b: c', 'mapping values are not allowed in this context'],
    ['a:\n- b\n c: d', 'line 3: mapping values are not allowed in this context'],
    ['- a\nb: c', "line 1: did not find expected '-' indicator"],
    ['a: 1\nb\nc: 2', "line 3: could not find expected ':'"],
    ['a: - b', 'block sequence entries are not allowed in this context'],
    ['\ta: b', 'found character that cannot start any token'],
    ['a:\n  "x', 'line 2: found unexpected end of stream'],
    ['a:\n  "\\q"', 'line 2: found unknown escape character'],
    ['a: *x', "unknown anchor 'x' referenced"],
    ['a: \u0001', 'control characters are not allowed'],
  ])('is refused in go-yaml’s words: %j', (text, words) => {
    expect(yamlComplaint(text)).toBe(words);
  });

  it.each([
    '',
    'a: b\n',
    '- a\n-\n  - b: c\n    d: |\n      x: [\n  - e',
    '? a\n: {b: [c, d: e], "f": g}',
    'a: &x b\nc: *x\n---\nd: [',
  ])('isn’t one that Go can read: %j', (text) => {
    expect(yamlComplaint(text)).toBeUndefined();
  });
});
