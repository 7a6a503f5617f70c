import { staysText } from './resolved-type.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const ONLY_FIRST = new Set([...'#,[]{}&*!|>\'"%@`']);

const isPrintable = (char: string): boolean => {
  const code = char.codePointAt(0) ?? 0;
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e) || code === 0x85) return true;
  if (code === 0xfeff || (code >= 0xd800 && code <= 0xdfff)) return false;
  return code >= 0xa0 && code < 0xfffe;
};

const isBlank = (char: string | undefined): boolean =>
  char === undefined || char === ' ' || char === '\t' || char === '\n' || char === '\r';

/** Whether characters of a text mean something where it stands without quotes (libyaml's yaml_emitter_analyze_scalar). */
const hasIndicators = (text: string): boolean => {
  if (text.startsWith('---') || text.startsWith('...')) return true;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    const blankAfter = isBlank(text[at + 1]);
    if (at === 0) {
      if (ONLY_FIRST.has(char) || ((char === '?' || char === ':' || char === '-') && blankAfter)) return true;
    } else if ((char === ':' && blankAfter) || (char === '#' && isBlank(text[at - 1]))) return true;
  }
  return false;
};

/** Keys may be this long, in bytes, to stand on one line with their value. */
const LONGEST_KEY = 128;

/** Whether a key stands before its colon as it is, rather than behind a question mark. */
export const isSimpleKey = (key: string): boolean => !key.includes('\n') && Buffer.byteLength(key) <= LONGEST_KEY;

/** How go-yaml v2 writes a text in block style; `key` where it is a simple key. */
export const styleOf = (text: string, key: boolean): ScalarStyle => {
  const special = [...text].some((char) => !isPrintable(char));
  const lines = text.includes('\n');
  if (lines) {
    const breakAfterSpace = / \n/.test(text);
    return key || special || breakAfterSpace || text.endsWith(' ') ? 'double' : 'literal';
  }
  if (!staysText(text) || special) return 'double';
  return hasIndicators(text) || text.startsWith(' ') || text.endsWith(' ') ? 'single' : 'plain';
};
