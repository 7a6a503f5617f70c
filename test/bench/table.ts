/** A line of a Markdown table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

export function header(cells: readonly string[]): string {
  return row(cells) + row(cells.map(() => '---'));
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** `ours / theirs`, or ours alone. */
export function pair(ours: string, theirs: string | undefined): string {
  return theirs === undefined ? ours : `${ours} / ${theirs}`;
}

/** Milliseconds with as many digits as mean something. */
export function millis(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

export function times(factor: number): string {
  return `${factor.toFixed(factor < 10 ? 1 : 0)}×`;
}

/** How many times longer each side takes for that many times the work. */
export function growth([ours, theirs]: readonly [number, number | undefined], work: number): string {
  const both = pair(times(ours), theirs === undefined ? undefined : times(theirs));
  return `${both} for ${Number(work.toFixed(1))}×`;
}
