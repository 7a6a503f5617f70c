import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../kind.ts';
import { writeYaml } from './write-yaml.ts';

describe('YAML of an answer', () => {
  it('has keys in order, lists at their key, and quotes where text would be taken for something else', () => {
    const object = {
      metadata: { name: 'a', creationTimestamp: '2024-01-02T03:04:05Z', labels: { b: '1', a10: 'yes', a2: '' } },
      apiVersion: 'v1',
      items: [{ a: 1, b: [true, null] }, [], {}, 'x: y', "it's", '- no', '10.0.0.1', '0x1f', '1_000', 'a#b', 'a #b'],
      number: 1.5,
    };
    expect(writeYaml(object)).toBe(
      [
        'apiVersion: v1',
        'items:',
        '- a: 1',
        '  b:',
        '  - true',
        '  - null',
        '- []',
        '- {}',
        "- 'x: y'",
        "- it's",
        "- '- no'",
        '- 10.0.0.1',
        '- "0x1f"',
        '- "1_000"',
        '- a#b',
        "- 'a #b'",
        'metadata:',
        '  creationTimestamp: "2024-01-02T03:04:05Z"',
        '  labels:',
        '    a2: ""',
        '    a10: "yes"',
        '    b: "1"',
        '  name: a',
        'number: 1.5',
        '',
      ].join('\n'),
    );
  });

  it('breaks long lines at the first space after eighty characters, and keeps lines of text', () => {
    const long = `${'word '.repeat(20)}end`;
    expect(writeYaml({ a: { b: long } })).toBe(`a:\n  b: ${'word '.repeat(15)}word\n    ${'word '.repeat(4)}end\n`);
    expect(writeYaml({ a: 'one\n two\n', b: ['x\ny'], c: 'z\n\n' })).toBe(
      'a: |\n  one\n   two\nb:\n- |-\n  x\n  y\nc: |+\n  z\n\n',
    );
  });

  it.each<[string, Json]>([
    [
      'awkward texts',
      [
        '',
        ' a',
        'a ',
        '\t',
        'a\tb',
        '\u0000',
        '~',
        '-',
        '?',
        ':',
        'a:',
        '#',
        '"',
        '\\',
        '`',
        'é',
        '😀',
        '\n',
        'a\r\nb',
      ],
    ],
    ['nested lists', [[['a'], []], [{ a: [{ b: 1 }] }]]],
    ['awkward keys', { '': 1, 'a b': 2, 'a: b': 3, '- c': 4, '1': 5, 'x\ny': 6 }],
    ['a text', 'plain'],
  ])('is read back as it was: %s', (_what, value) => {
    expect(parse(writeYaml(value), { version: '1.1' })).toEqual(value);
  });
});
