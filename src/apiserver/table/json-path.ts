import { jsonEqual } from '../../kube/json-equal.ts';
import { asArray, isObject } from '../json.ts';
import type { Json } from '../kind.ts';

type Step = (values: readonly Json[]) => readonly Json[];

/**
 * Compiles the part of client-go's JSONPath that printer columns use: `.a.b`, `['a.b']`, `[0]`, `[*]`, `..a`, and filters
 * like `[?(@.type=="Ready")]`. Gives all values found; none for a path that isn't understood.
 */
export function compileJsonPath(path: string): (root: Json) => readonly Json[] {
  const steps: Step[] = [];
  let rest = path
    .trim()
    .replace(/^\{|\}$/g, '')
    .replace(/^\$/, '');
  while (rest !== '') {
    const [length, step] = readStep(rest) ?? [0, undefined];
    if (!step) return () => [];
    steps.push(step);
    rest = rest.slice(length);
  }
  return (root) => steps.reduce<readonly Json[]>((values, step) => step(values), [root]);
}

function readStep(text: string): readonly [number, Step] | undefined {
  const field = /^\.?\[(?:'([^']*)'|"([^"]*)")\]/.exec(text) ?? /^\.((?:\\.|[^.[\\])+)/.exec(text);
  if (field) {
    const name = (field[1] ?? field[2] ?? '').replace(/\\(.)/g, '$1');
    if (name === '*') return [field[0].length, children];
    return [field[0].length, (values) => values.flatMap((value) => member(value, name))];
  }
  const index = /^\[(-?\d+)\]/.exec(text);
  if (index) return [index[0].length, (values) => values.flatMap((value) => asArray(value).at(Number(index[1])) ?? [])];
  if (text.startsWith('[*]')) return [3, children];
  const filter = /^\[\?\(\s*@([^=!<>]*?)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([^)\s]+))\s*\)\]/.exec(text);
  if (!filter) return undefined;
  const find = compileJsonPath(filter[1] ?? '');
  const wanted: Json = filter[3] ?? filter[4] ?? literal(filter[5] ?? '');
  const equal = filter[2] === '==';
  const keeps = (item: Json): boolean => find(item).some((found) => jsonEqual(found, wanted)) === equal;
  return [filter[0].length, (values) => values.flatMap((value) => asArray(value).filter(keeps))];
}

const children: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? (Object.values(value) as Json[]) : []));

function member(value: Json, name: string): readonly Json[] {
  const found = isObject(value) ? value[name] : undefined;
  return found === undefined ? [] : [found];
}

function literal(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
