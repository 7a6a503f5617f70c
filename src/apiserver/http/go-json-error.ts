/** What Go's encoding/json says of a text that isn't JSON; empty for one that is. */
export function goJsonError(text: string): string {
  let position = 0;
  const end = 'unexpected end of JSON input';

  const space = (): void => {
    while (' \t\r\n'.includes(text.charAt(position)) && position < text.length) position++;
  };
  const here = (): string => {
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
    return character === "'" ? `'\\''` : character === '"' ? `'"'` : `'${character}'`;
  };
  const bad = (context: string): string => (position >= text.length ? end : `invalid character ${here()} ${context}`);

  function value(): string {
    space();
    const character = text.charAt(position);
    if (character === '{') return object();
    if (character === '[') return list();
    if (character === '"') return string();
    for (const word of ['true', 'false', 'null']) {
      if (character === word.charAt(0) && character !== '') return literal(word);
    }
    const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/.exec(text.slice(position))?.[0];
    if (number) {
      position += number.length;
      return '';
    }
    if (character === '-') {
      position++;
      return bad('in numeric literal');
    }
    return bad('looking for beginning of value');
  }

  function literal(word: string): string {
    for (const [index, letter] of [...word].entries()) {
      if (text.charAt(position) !== letter) return bad(`in literal ${word} (expecting '${word.charAt(index)}')`);
      position++;
    }
    return '';
  }

  function string(): string {
    position++;
    while (position < text.length) {
      const character = text.charAt(position);
      if (character === '"') {
        position++;
        return '';
      }
      if (character < ' ') return bad('in string literal');
      if (character === '\\') {
        position++;
        if (!'"\\/bfnrtu'.includes(text.charAt(position))) return bad('in string escape code');
      }
      position++;
    }
    return end;
  }

  function object(): string {
    position++;
    space();
    if (text.charAt(position) === '}') {
      position++;
      return '';
    }
    for (;;) {
      space();
      if (text.charAt(position) !== '"') return bad('looking for beginning of object key string');
      const key = string();
      if (key) return key;
      space();
      if (text.charAt(position) !== ':') return bad('after object key');
      position++;
      const inner = value();
      if (inner) return inner;
      space();
      const next = text.charAt(position);
      if (next === '}') {
        position++;
        return '';
      }
      if (next !== ',') return bad('after object key:value pair');
      position++;
    }
  }

  function list(): string {
    position++;
    space();
    if (text.charAt(position) === ']') {
      position++;
      return '';
    }
    for (;;) {
      const inner = value();
      if (inner) return inner;
      space();
      const next = text.charAt(position);
      if (next === ']') {
        position++;
        return '';
      }
      if (next !== ',') return bad('after array element');
      position++;
    }
  }

  const error = value();
  if (error) return error;
  space();
  return position < text.length ? bad('after top-level value') : '';
}
