export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER =
  /;\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*(?:"((?:[^"\\\r\n]|\\.)*)"|([!#$%&'*+\-.^_`|~0-9A-Za-z]+))\s*/y;

/** A `Content-Type`'s value. @throws when it is malformed. */
export function parseMediaType(text: string): MediaType {
  const [head = ''] = text.split(';', 1);
  const type = head.trim().toLowerCase();
  if (type === '') throw new Error('mime: no media type');
  const parameters = new Map<string, string>();
  let at = head.length;
  while (at < text.length && !/^[;\s]*$/.test(text.slice(at))) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    if (!found) throw new Error('mime: invalid media parameter');
    const [, name = '', quoted, plain] = found;
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
    at = PARAMETER.lastIndex;
  }
  return { type, parameters };
}
