export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+\\-.^_`{|}~0-9A-Za-z]+";
const TYPE = new RegExp(`^${TOKEN}(?:/${TOKEN})?$`);
const PARAMETER = new RegExp(`\\s*;\\s*(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\\\r\\n]|\\\\.)*)"|(${TOKEN}))`, 'y');
/** A backslash before anything else is one: some programs write paths of Windows so. */
const ESCAPED = /\\([()<>@,;:\\"/[\]?=])/g;
const END = /^\s*;?\s*$/;

/** A `Content-Type`'s value, as Go's `mime` reads it. @throws when it is malformed. */
export function parseMediaType(text: string): MediaType {
  const [head = ''] = text.split(';', 1);
  const type = head.trim().toLowerCase();
  if (!TYPE.test(type)) throw new Error('mime: no media type');
  const parameters = new Map<string, string>();
  let at = head.length;
  while (!END.test(text.slice(at))) {
    PARAMETER.lastIndex = at;
    const [whole = '', name = '', quoted, plain = ''] = PARAMETER.exec(text) ?? [];
    if (whole === '') throw new Error('mime: invalid media parameter');
    const key = name.toLowerCase();
    const value = quoted?.replace(ESCAPED, '$1') ?? plain;
    if ((parameters.get(key) ?? value) !== value) throw new Error('mime: duplicate parameter name');
    parameters.set(key, value);
    at = PARAMETER.lastIndex;
  }
  return { type, parameters };
}
