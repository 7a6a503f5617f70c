/** In bytes of UTF-8, as for the fieldManager parameter. */
const MOST_BYTES = 128;

/** The manager's name: what the request says, else the User-Agent up to the first slash, without unprintable characters. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  let name = '';
  for (const character of (userAgent ?? '').split('/', 1)[0] ?? '') {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    if (Buffer.byteLength(name + character) > MOST_BYTES) break;
    name += character;
  }
  return name;
}
