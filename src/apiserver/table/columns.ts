import type { Column } from './table.ts';

/**
 * Columns in short: `Name/name` has format name, `Desired:integer` a type, `IP*` is for wide output. Descriptions stay
 * empty; nothing shows them.
 */
export function columns(...texts: readonly string[]): readonly Column[] {
  return texts.map((text) => {
    const match = /^(.+?)(?::(\w+))?(?:\/(name))?(\*)?$/.exec(text);
    return {
      name: match?.[1] ?? text,
      type: (match?.[2] ?? 'string') as Column['type'],
      format: match?.[3] ?? '',
      description: '',
      priority: match?.[4] ? 1 : 0,
    };
  });
}
