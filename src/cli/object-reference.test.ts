import { describe, expect, it } from 'vitest';
import { notFound, parseReferences } from './object-reference.ts';

const read = (...words: string[]) =>
  parseReferences(words).map(({ type, namespace, name }) => [type.name, namespace ?? '', name].join(' '));

describe('an object on the command line', () => {
  it.each([
    [['pod', 'web-0'], ['pod  web-0']],
    [['po', 'prod/web-0'], ['pod prod web-0']],
    [['pod/web-0'], ['pod  web-0']],
    [['pods/prod/web-0'], ['pod prod web-0']],
    [
      ['NO', 'a', 'b'],
      ['node  a', 'node  b'],
    ],
    [
      ['np/default', 'nc/default-x'],
      ['nodepool  default', 'nodeclaim  default-x'],
    ],
    [['nodepools.karpenter.sh/default'], ['nodepool  default']],
  ])('is read from %j', (words, expected) => {
    expect(read(...words)).toEqual(expected);
  });

  it('needs a known type, and offers the nearest', () => {
    expect(() => read('nodepol', 'x')).toThrow(expect.objectContaining({ code: 'KE1302', hints: ['nodepool'] }));
  });

  it('needs a name', () => {
    expect(() => read('pod')).toThrow('name is missing');
    expect(() => read('pod/a', 'b')).toThrow('TYPE/NAME');
  });
});

describe('an object that is not there', () => {
  const hints = (name: string, names: readonly string[]) => {
    const [ref] = parseReferences(['pod', name]);
    return ref && notFound(ref, names, 'k').hints;
  };

  it('is compared with those of its namespace first', () => {
    expect(hints('prod/web-9', ['test/web-9', 'prod/web-1', 'prod/db-0'])).toEqual(['k explain pod prod/web-1']);
  });

  it('is compared by its last part when no namespace was given', () => {
    expect(hints('db-1', ['prod/web-1', 'prod/db-0'])).toEqual(['k explain pod prod/db-0']);
  });
});
