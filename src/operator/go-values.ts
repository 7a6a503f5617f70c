/** Values of flags and environment variables as Go's standard library reads them. Undefined means malformed. */

const BOOLEANS: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** strconv.ParseBool. */
export function goBoolean(text: string): boolean | undefined {
  return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined;
}

/** strconv.Atoi: decimal digits with a sign. */
export function goDecimal(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? safe(Number(text)) : undefined;
}

/** strconv.ParseInt with base 0, as flags are read: also `0x1f`, `0b11`, `0o17`, `017` and `1_000`. */
export function goInteger(text: string): number | undefined {
  const match = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', written = ''] = match;
  const digits = written.replaceAll('_', '').replace(/^0(?=\d)/, '0o');
  return safe(Number(digits) * (sign === '-' ? -1 : 1));
}

/** strconv.ParseFloat, but for its hexadecimal numbers. */
export function goFloat(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

const safe = (number: number): number | undefined => (Number.isSafeInteger(number) ? number + 0 : undefined);
