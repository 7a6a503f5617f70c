import { describe, expect, it } from 'vitest';
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts';
import { formatRequirement } from './label-requirement.ts';
import type { LabelSelector } from './objects.ts';
import { formatLabelSelector, labelMatcher, matchesRequirements, parseLabelSelector, selects } from './selectors.ts';

const long = 'x'.repeat(70);

describe('label selectors as text', () => {
  // Accepted texts and how apimachinery v0.36 prints them.
  it.each([
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['a==b', 'a==b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['b,a', 'a,b'],
    ['a in (y, x)', 'a in (x,y)'],
    ['a in ()', 'a in ()'],
    ['a in (,x)', 'a in (,x)'],
    ['a in (x,)', 'a in (,x)'],
    ['a in (a,,b)', 'a in (,a,b)'],
    ['a in (,,)', 'a in ()'],
    ['a in (in,notin)', 'a in (in,notin)'],
    ['in in (in)', 'in in (in)'],
    ['a>1', 'a>1'],
    ['a=b, c in (d) ,!e', 'a=b,c in (d),!e'],
  ])('%j is read as %j', (text, expected) => {
    expect(parseLabelSelector(text).map(formatRequirement).join(',')).toBe(expected);
  });

  it.each([
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a=b,,c=d', "found ',', expected: identifier after ','"],
    ['a notin x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ['a in (x)(y)', "found '(', expected: ',' or 'end of string'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['/a=b', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [`a=${long}`, `unable to parse requirement: values[0][a]: Invalid value: "${long}": must be no more than 63 bytes`],
    [
      `${long}=b`,
      `unable to parse requirement: <nil>: Invalid value: "${long}": name part must be no more than 63 bytes`,
    ],
    [
      '-a=b',
      `unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'a=é',
      `unable to parse requirement: values[0][a]: Invalid value: "é": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])('%j is refused in the words of kubectl', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrowError(
      expect.objectContaining({ name: 'SelectorError', message }) as Error,
    );
  });

  it.each([
    ['app=web', { app: 'web' }, true],
    ['app=web', { app: 'db' }, false],
    ['app!=web', {}, true],
    ['app notin (web)', {}, true],
    ['app in (web,db)', { app: 'db' }, true],
    ['app', {}, false],
    ['!app', {}, true],
    ['cores>4', { cores: '16' }, true],
    ['cores<4', { cores: 'many' }, false],
    ['toString', {}, false],
  ])('%j on %j is %s', (text, labels, expected) => {
    expect(matchesRequirements(parseLabelSelector(text), labels as Record<string, string>)).toBe(expected);
  });
});

describe('label selectors as objects', () => {
  const selector: LabelSelector = {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['b', 'a'] },
      { key: 'canary', operator: 'DoesNotExist' },
    ],
  };

  it('select what satisfies all of them', () => {
    const matches = labelMatcher(selector);
    expect(matches({ app: 'web', tier: 'a' })).toBe(true);
    expect(matches({ app: 'web', tier: 'a', canary: '' })).toBe(false);
    expect(matches({ app: 'web' })).toBe(false);
  });

  it('select everything when empty and nothing when absent', () => {
    expect(labelMatcher({})({ any: 'thing' })).toBe(true);
    expect(labelMatcher(undefined)({ any: 'thing' })).toBe(false);
  });

  it('become query text', () => {
    expect(formatLabelSelector(selector)).toBe('app=web,!canary,tier in (a,b)');
  });

  it('are refused for values the operator can not take, and then select nothing', () => {
    const empty: LabelSelector = { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] };
    expect(() => labelMatcher(empty)).toThrowError(
      `values: Invalid value: []string{}: for 'in', 'notin' operators, values set can't be empty`,
    );
    expect(selects(empty, { a: '' })).toBe(false);
  });
});

describe('field selectors', () => {
  it('are split at commas and operators that nothing escapes', () => {
    expect(parseFieldSelector('status.phase!=Running,spec.nodeName==a\\,b\\=c,')).toEqual([
      { field: 'spec.nodeName', operator: '=', value: 'a,b=c' },
      { field: 'status.phase', operator: '!=', value: 'Running' },
    ]);
    expect(parseFieldSelector(`x=${escapeFieldValue('a\\,=')}`)).toEqual([
      { field: 'x', operator: '=', value: 'a\\,=' },
    ]);
  });

  it.each([
    ['nodeName', "invalid selector: 'nodeName'; can't understand 'nodeName'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
  ])('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrowError(message);
  });
});
