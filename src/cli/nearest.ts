/** Edits (insert, delete, replace, swap of neighbours) between two words. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/**
 * The candidates that someone who wrote `word` may have meant, closest first: few edits for the length, or a common
 * beginning or part of at least three letters.
 */
export function nearest(word: string, candidates: Iterable<string>, count = 3): string[] {
  const lower = word.toLowerCase();
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(candidates)) {
    const other = name.toLowerCase();
    const edits = editDistance(lower, other);
    if (edits <= Math.max(1, Math.floor(Math.max(lower.length, other.length) / 3))) scored.push({ name, score: edits });
    else if (lower.length >= 3 && other.startsWith(lower)) scored.push({ name, score: 10 + other.length });
    else if (lower.length >= 3 && other.includes(lower)) scored.push({ name, score: 100 + other.length });
  }
  scored.sort((a, b) => a.score - b.score || a.name.localeCompare(b.name));
  return scored.slice(0, count).map((entry) => entry.name);
}
