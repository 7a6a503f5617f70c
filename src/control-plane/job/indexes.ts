/** Completed indexes as the API writes them: `0,2-5,9`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ordered = [...new Set(indexes)].sort((a, b) => a - b);
  const runs: (readonly [number, number])[] = [];
  for (const index of ordered) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) runs[runs.length - 1] = [last[0], index];
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}${to === from + 1 ? ',' : '-'}${to}`)).join(',');
}

export function parseIndexes(text: string | undefined, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const run of text ? text.split(',') : []) {
    const [from, to = from] = run.split('-').map(Number);
    if (from === undefined || to === undefined || !Number.isInteger(from) || !Number.isInteger(to)) continue;
    for (let index = from; index <= Math.min(to, completions - 1); index++) indexes.add(index);
  }
  return indexes;
}
