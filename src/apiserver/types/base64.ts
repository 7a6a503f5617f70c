/** What Go's encoding/base64 says about a text it can't read. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error';
}

const SHAPE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Checks standard base64 with padding and writes it without line breaks, as Go's decoder and encoder would.
 *
 * @throws {Base64Error} in Go's words, with the byte where it stopped.
 */
export function canonicalBase64(text: string): string {
  const compact = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
  if (!SHAPE.test(compact)) throw new Base64Error(`illegal base64 data at input byte ${firstIllegal(text)}`);
  const padded = compact.endsWith('=');
  return padded ? Buffer.from(compact, 'base64').toString('base64') : compact;
}

/** The index of the first character that doesn't fit, or the start of an unfinished group of four. */
function firstIllegal(text: string): number {
  let inGroup = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\n' || character === '\r') continue;
    if (character === '=' && inGroup >= 2) return paddingFault(text, index, inGroup);
    if (!/[A-Za-z0-9+/]/.test(character)) return index;
    inGroup = (inGroup + 1) % 4;
  }
  return text.length - inGroup;
}

function paddingFault(text: string, index: number, inGroup: number): number {
  const rest = text.slice(index + 1).replace(/[\r\n]/g, '');
  if (inGroup === 2 && !rest.startsWith('=')) return rest === '' ? text.length : index + 1;
  return index + (inGroup === 2 ? 2 : 1);
}
