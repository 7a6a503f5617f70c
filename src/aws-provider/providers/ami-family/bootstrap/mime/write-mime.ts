import type { MimePart } from './parse-mime.ts';

const BOUNDARY = '//';

/** The content type of scripts. */
export const SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"';

/** Whether user data is a multipart archive, rather than one script or document. */
export const looksLikeMime = (text: string): boolean => /^\s*(?:MIME-Version|Content-Type):/.test(text);

/** A part with no other header than its type. */
export const partOf = (type: string, content: string): MimePart => ({ headers: [['Content-Type', type]], content });

/** A multipart archive as cloud-init reads it; lines end without carriage returns, also those of the parts. */
export function writeMime(parts: readonly MimePart[]): string {
  const written = parts.map(({ headers, content }, at) => {
    const lines = [...headers]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, value]) => `${key}: ${value}`);
    return `${at === 0 ? '' : '\n'}--${BOUNDARY}\n${lines.map((line) => `${line}\n`).join('')}\n${content}`;
  });
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n`;
  return `${head}${written.join('')}\n--${BOUNDARY}--\n`.replaceAll('\r', '');
}
