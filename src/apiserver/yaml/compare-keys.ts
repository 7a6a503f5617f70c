const isDigit = (char: string | undefined): boolean => char !== undefined && /^\p{Nd}$/u.test(char);
const isLetter = (char: string | undefined): boolean => char !== undefined && /^\p{L}$/u.test(char);

/** The number that begins at a place, and where it ends. */
const numberAt = (chars: readonly string[], start: number, first: number): readonly [value: number, end: number] => {
  let value = first;
  let end = start;
  for (; isDigit(chars[end]); end++) value = value * 10 + Number(chars[end]);
  return [value, end];
};

/** go-yaml's order of keys: other signs before letters, numbers inside of them by what they amount to. */
export const compareKeys = (left: string, right: string): number => {
  const [a, b] = [[...left], [...right]];
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [x = '', y = ''] = [a[at], b[at]];
    if (x === y) continue;
    if (isLetter(x) && isLetter(y)) return x < y ? -1 : 1;
    if (isLetter(x) || isLetter(y)) return isLetter(y) ? -1 : 1;
    const before = /(\d*)$/.exec(a.slice(0, at).join(''))?.[1] ?? '';
    const first = (x === '0' || y === '0') && /[1-9]/.test(before) ? 1 : 0;
    const [m, mEnd] = numberAt(a, at, first);
    const [n, nEnd] = numberAt(b, at, first);
    if (m !== n) return m < n ? -1 : 1;
    if (mEnd !== nEnd) return mEnd < nEnd ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
};
