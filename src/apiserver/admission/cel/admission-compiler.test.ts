import { expect, it } from 'vitest';
import { CelLoader } from '../../crd/cel/cel-engine.ts';
import { type Activation, evaluate } from './activation.ts';
import { AdmissionCompiler } from './admission-compiler.ts';
import { fromJson, toJson } from './json-values.ts';

const compiler = new AdmissionCompiler(await new CelLoader().load());

const object = {
  metadata: { name: 'web', labels: { app: 'a', tier: 'b' } },
  spec: { replicas: 3, containers: [{ name: 'd' }, { name: 'c' }], numbers: [3, 1, 2], text: 'abc' },
};

const activation = (namespace: object): Activation => ({
  object: fromJson(object),
  oldObject: null,
  namespaceObject: fromJson(namespace as never),
});

const run = (expression: string, returns: readonly string[] = [], namespace: object = {}): unknown => {
  const outcome = evaluate(compiler.compile(expression, returns, {}), activation(namespace));
  return 'error' in outcome ? outcome.error.replace(/^.* resulted in error: /, '') : toJson(outcome.value);
};

const refusal = (expression: string, returns: readonly string[] = ['bool']): string => {
  try {
    compiler.compile(expression, returns, {});
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

it.each([
  ['object.metadata.labels.all(key, value, key in ["app", "tier"] && value != "")', true],
  ['object.spec.containers.exists(at, c, at == 1 && c.name == "c")', true],
  ['object.spec.numbers.existsOne(at, n, n > 2)', true],
  ['object.metadata.labels.transformList(key, value, value == "b", key + value)', ['tierb']],
  ['object.metadata.labels.transformMap(key, value, key + value)', { app: 'appa', tier: 'tierb' }],
  ['[1, 2].transformMapEntry(at, n, {string(n): at})', { '1': 0, '2': 1 }],
  ['object.spec.containers.sortBy(c, c.name)[0].name', 'c'],
  ['object.?spec.?text.optMap(t, t + "x").orValue("")', 'abcx'],
  ['object.?spec.?none.optMap(t, t + "x").orValue("y")', 'y'],
  ['object.?spec.?containers.optFlatMap(c, c[?0]).hasValue()', true],
  ['object.spec.numbers.first().orValue(0)', 3],
  ['object.spec.numbers.sort().map(n, n > 2)', [false, false, true]],
  ['lists.range(3)', [0, 1, 2]],
  ['strings.quote("a")', '"a"'],
  ['string(duration("90m")) + string(duration("-1.5s"))', '5400s-1.5s'],
  ['string(timestamp("2023-01-01T00:00:00.120Z") + duration("24h"))', '2023-01-02T00:00:00.12Z'],
  ['int(timestamp("1970-01-01T00:01:00Z"))', 60],
  ['optional.ofNonZeroValue("").orValue("none") + optional.ofNonZeroValue("a").orValue("none")', 'nonea'],
  ['uint(3) + 2u', 5],
  ['object.spec.text.startsWith(object.spec.replicas)', 'no such overload'],
  ['object.spec.replicas.lowerAscii()', 'no such overload: lowerAscii(int)'],
  ['size(object.spec.replicas)', 'no such overload: size'],
  ['object.spec.text.all(x, x)', "got 'types.String', expected iterable type"],
  ['object.spec.text ? 1 : 2', 'no such overload'],
  ['object.spec.text && true', 'no such overload'],
  [
    '"%d".format([object.spec.text])',
    'error during formatting: decimal clause can only be used on integers, was given string',
  ],
  ['"%z".format([1])', 'could not parse formatting clause: unrecognized formatting clause "z"'],
])('%s', (expression, value) => {
  expect(run(expression)).toEqual(value);
});

it('takes the type of a field without a schema from what stands in for it', () => {
  expect(run('object.metadata.?labels[?"none"].orValue("d")', ['string'])).toBe('d');
  expect(refusal('object.?spec.?text.orValue(false)')).toBe('must evaluate to bool but got dyn');
});

it('knows the fields of a namespace, and whether there is one', () => {
  const namespace = { metadata: { name: 'shop', labels: { team: 'a' } }, spec: {}, status: { phase: 'Active' } };
  const expression = 'namespaceObject != null && namespaceObject.metadata.labels["team"] == "a"';
  expect(run(expression, ['bool'], namespace)).toBe(true);
  expect(run(expression)).toBe(false);
  expect(refusal('namespaceObject.nope')).toContain("undefined field 'nope'");
});

it.each([
  [
    'foo == 1 && bar == 2',
    ["1:1: undeclared reference to 'foo' (in container '')", "1:13: undeclared reference to 'bar' (in container '')"],
  ],
  [
    '[foo(bar)]',
    ["1:5: undeclared reference to 'foo' (in container '')", "1:6: undeclared reference to 'bar' (in container '')"],
  ],
  ['request.foo == 1 && request.bar == 2', ["1:8: undefined field 'foo'", "1:28: undefined field 'bar'"]],
  ['[1, "a"]', ["1:5: expected type 'int' but found 'string'"]],
  ['true && "a"', ["1:9: expected type 'bool' but found 'string'"]],
  ['true ? 1 : "a"', ["1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"]],
  ['-"a"', ["1:1: found no matching overload for '-_' applied to '(string)'"]],
  ['"a".foo', ["1:4: type 'string' does not support field selection"]],
  ['[1]["a"]', ["1:4: found no matching overload for '_[_]' applied to '(list(int), string)'"]],
  [
    '1.all(x, true)',
    ["1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  ],
  ['has(object)', ['1:5: invalid argument to has() macro']],
  ['duration("1h") < duration("x")', ['1:27: invalid duration argument']],
  ['object.text.matches("[a")', ['1:21: invalid matches argument']],
  ['object.x)', ["1:9: Syntax error: extraneous input ')' expecting <EOF>"]],
  ['(object.x', ["1:10: Syntax error: missing ')' at '<EOF>'"]],
  [
    'object.x = 1',
    [
      "1:10: Syntax error: token recognition error at: '= '",
      "1:12: Syntax error: extraneous input '1' expecting <EOF>",
    ],
  ],
  ['object.', ["1:8: Syntax error: no viable alternative at input '.'"]],
  ['true and false', ["1:6: Syntax error: mismatched input 'and' expecting <EOF>"]],
])('refuses %s', (expression, complaints) => {
  const found = Array.from(refusal(expression).matchAll(/<input>:(.*)/g), ([, words]) => words);
  expect(found).toEqual(complaints);
});
