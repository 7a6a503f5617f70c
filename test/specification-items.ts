import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECTIONS = { first: 5, last: 9 };

/** Items of docs/karpenter-core.md that v1.14.1 doesn't have, with the reason; they need no test. */
export const NOT_IN_THIS_VERSION: Readonly<Record<string, string>> = {
  '8.14': 'the VPA prediction store came after v1.14.1',
};

/**
 * The numbers of all items of sections 5 to 9 of docs/karpenter-core.md, as tests name them: `5.2.1` is the first item
 * under heading 5.2, `8.3` the third of a section without headings, `6.0.2` one that stands before a section's first heading.
 */
export function specificationItems(root: string): readonly string[] {
  const items: string[] = [];
  let section = 0;
  let heading = '';
  const parts = new Set<number>();
  const lines = readFileSync(join(root, 'docs/karpenter-core.md'), 'utf8').split('\n');
  for (const line of lines) {
    const sub = /^### (\d+)\.(\d+) /.exec(line);
    if (sub) parts.add(Number(sub[1]));
  }
  for (const line of lines) {
    const top = /^## (\d+)\. /.exec(line);
    if (top) {
      section = Number(top[1]);
      heading = parts.has(section) ? `${section}.0` : String(section);
    }
    const sub = /^### (\d+\.\d+) /.exec(line);
    if (sub?.[1] !== undefined) heading = sub[1];
    const item = /^(\d+)\. /.exec(line);
    if (item && section >= SECTIONS.first && section <= SECTIONS.last) items.push(`${heading}.${item[1]}`);
  }
  return items;
}
