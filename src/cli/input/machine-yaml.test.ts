import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readDocuments } from './read-documents.ts';

const values = async (text: string) => (await readDocuments(text, 'f.yaml')).map(({ value }) => value);

/** The last document has an anchor, which is left to the parser that knows everything. */
const ANCHOR = '\n---\n&anchor last\n';
const carefully = async (text: string) => (await values(text + ANCHOR)).slice(0, -1);

describe('YAML that a program wrote', () => {
  it.each([
    'a: 0o17\nb: 0x1F\nc: 0b11\nd: 1_000\ne: 017\nf: -0\ng: .5\nh: 1e3\ni: .inf\nj: +5',
    'a: ~\nb: Null\nc:\nd: yes\ne: True\nf: nUll\ng: "null"\nh: on',
    'a: 2001-01-01\nb: 2001-01-01T00:00:00Z\nc: 1:30\nd: 12345678901234567890\ne: "0.50"',
    '1: a\n1.5: b\ntrue: c\n"": d\n__proto__: e\nconstructor: f',
    'a: |\n  x\n\n  y\nb: |-\n  x\nc: >\n  x\n  y\n\n  z\nd: >+\n  x\n\ne: |2\n   x\n  y',
    'a: "x\n  y"\nb: x\n  y\nc: \'it\'\'s\'\nd: "\\u0041\\n\\x41\\/"\ne: b#c # d\nf: a:1',
    '- - a\n  - b\n- c\n-\n  d: 1\n- {a: b, c: [1, {d: e}]}\n- [f: 1]',
    'a: 1\r\nb: |\r\n  x\r\n  y\r\n',
    '<<: {a: 1}\nb: 2',
  ])('is read as by hand-written YAML’s rules: %j', async (text) => {
    expect(await values(text)).toEqual(await carefully(text));
  });

  it('comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), async (objects) => {
        const written = JSON.parse(JSON.stringify(objects)) as unknown[];
        const text = written.map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false })}`).join('');
        expect(await values(text)).toEqual(written);
      }),
      { numRuns: 200 },
    );
  });

  it('has its documents counted, empty ones too, and their lines', async () => {
    const text = '# a comment\n\na: 1\n---\n---\n# another\nb: 2\n...\n---\n- c\n';
    const places = (await readDocuments(text, 'f.yaml')).map(({ index, line }) => [index, line]);
    expect(places).toEqual([
      [1, 3],
      [3, 7],
      [4, 10],
    ]);
    expect(places).toEqual((await readDocuments(text + ANCHOR, 'f.yaml')).slice(0, -1).map((d) => [d.index, d.line]));
  });
});
