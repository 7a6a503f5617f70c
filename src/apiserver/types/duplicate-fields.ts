import type { Json, JsonObject } from '../kind.ts';

/** A key of the document, at its n-th appearance. */
interface Appearance {
  readonly path: string;
  readonly repeated: boolean;
}

/**
 * False where no object of the document has a key twice, which is told by counting: the value that a text was parsed to
 * has as many keys as the text has colons after quotes. Text inside strings may look like a key, so true proves nothing.
 */
export function mayRepeatKeys(text: string, value: Json): boolean {
  let colons = 0;
  for (const _ of text.matchAll(/"\s*:/g)) colons++;
  return colons !== keyCount(value);
}

function keyCount(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) count += keyCount(item);
  else for (const item of Object.values(value as JsonObject)) count += 1 + keyCount(item);
  return count;
}

/**
 * Unknown fields of a JSON document and keys that one of its objects has twice (`duplicate field "spec.replicas"`), together in
 * document order and each once, as kube-apiserver lists them.
 */
export function strictErrors(text: string, unknown: readonly string[]): readonly string[] {
  const found = appearances(text);
  if (!found.some(({ repeated }) => repeated)) return unknown;
  const left = new Set(unknown);
  const errors = found.map(({ path, repeated }) =>
    repeated ? duplicate(path) : `unknown field ${JSON.stringify(path)}`,
  );
  return [...new Set(errors)].filter((error) => error.startsWith('duplicate') || left.has(error));
}

const duplicate = (path: string): string => `duplicate field ${JSON.stringify(path)}`;

interface Open {
  readonly path: string;
  /** The keys seen so far; absent in a list. */
  readonly keys?: Set<string>;
  index: number;
  key: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Walks the tokens of a JSON text and tells each key with its path. */
function appearances(text: string): readonly Appearance[] {
  const found: Appearance[] = [];
  const open: Open[] = [];
  let expectKey = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    switch (token) {
      case '{':
      case '[':
        open.push({
          path: top === undefined ? '' : pathIn(top),
          index: 0,
          key: '',
          ...(token === '{' && { keys: new Set() }),
        });
        expectKey = token === '{';
        break;
      case '}':
      case ']':
        open.pop();
        expectKey = false;
        break;
      case ',':
        if (top !== undefined) top.index++;
        expectKey = top?.keys !== undefined;
        break;
      case ':':
        break;
      default:
        if (!expectKey || top?.keys === undefined) break;
        expectKey = false;
        top.key = JSON.parse(token) as string;
        found.push({ path: pathIn(top), repeated: top.keys.has(top.key) });
        top.keys.add(top.key);
    }
  }
  return found;
}

function pathIn({ path, keys, index, key }: Open): string {
  if (keys === undefined) return `${path}[${index}]`;
  return path === '' ? key : `${path}.${key}`;
}
