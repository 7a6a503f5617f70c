/** Text behind the transfer encoding of that name: `=3D` is a sign, and `=` at the end of a line joins it with the next. */
export function decodeQuotedPrintable(text: string): string {
  const bytes: number[] = [];
  const joined = text.replace(/[ \t]+(?=\r?\n|$)/g, '').replace(/=\r?\n/g, '');
  for (let at = 0; at < joined.length; ) {
    const sign = /^=([0-9A-Fa-f]{2})/.exec(joined.slice(at, at + 3));
    const char = String.fromCodePoint(joined.codePointAt(at) ?? 0);
    bytes.push(...(sign ? [Number.parseInt(sign[1] ?? '', 16)] : Buffer.from(char)));
    at += sign ? 3 : char.length;
  }
  return Buffer.from(bytes).toString();
}
