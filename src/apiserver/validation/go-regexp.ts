/** Go's regular expressions (RE2 syntax) on JavaScript's engine. */

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const POSIX = new RegExp(`\\[:(\\^?)(${Object.keys(POSIX_CLASSES).join('|')}):\\]`, 'g');

const NEGATED: Readonly<Record<string, string>> = { digit: '\\D', word: '\\W', space: '\\S' };

const posixClass = (_: string, negated: string, name: string): string =>
  negated === '' ? (POSIX_CLASSES[name] ?? '') : (NEGATED[name] ?? '');

/** A pattern that Go would refuse too; `reason` is in regexp/syntax's words where the fault is a common one. */
export class RegexpSyntaxError extends Error {
  override readonly name = 'RegexpSyntaxError';
}

const fault = (code: string, part: string): RegexpSyntaxError =>
  new RegexpSyntaxError(`error parsing regexp: ${code}: \`${part}\``);

/** Walks the pattern once to find what RE2 refuses: unbalanced brackets, look-around, back-references. */
const checkSyntax = (pattern: string): void => {
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') {
      const next = pattern[at + 1];
      if (next === undefined) throw fault('trailing backslash at end of expression', '');
      if (/[1-9]/.test(next)) throw fault('invalid escape sequence', `\\${next}`);
      at += 1;
    } else if (char === '[') {
      let end = at + 1;
      if (pattern[end] === '^') end += 1;
      if (pattern[end] === ']') end += 1;
      while (end < pattern.length && pattern[end] !== ']') {
        if (pattern[end] === '\\') end += 1;
        else if (pattern[end] === '[' && pattern[end + 1] === ':') {
          const close = pattern.indexOf(':]', end + 2);
          if (close > 0) end = close + 1;
        }
        end += 1;
      }
      if (end >= pattern.length) throw fault('missing closing ]', pattern.slice(at));
      at = end;
    } else if (char === '(') {
      depth += 1;
      const group = /^\(\?(=|!|<=|<!)/.exec(pattern.slice(at));
      if (group !== null) throw fault('invalid or unsupported Perl syntax', group[0]);
    } else if (char === ')') {
      depth -= 1;
      if (depth < 0) throw fault('unexpected )', pattern);
    } else if (char === '*' || char === '+' || char === '?') {
      const before = at === 0 ? '' : (pattern[at - 1] ?? '');
      if (at === 0 || (before === '(' && char !== '?') || before === '|') {
        throw fault('missing argument to repetition operator', char);
      }
    }
  }
  if (depth > 0) throw fault('missing closing )', pattern);
};

/**
 * Compiles a pattern written for Go's regexp package.
 *
 * @throws RegexpSyntaxError where Go would fail to compile it.
 */
export const goRegexp = (pattern: string): RegExp => {
  checkSyntax(pattern);
  let flags = 'u';
  let source = pattern.replace(/^\(\?([ims]+)\)/, (_, letters: string) => {
    flags += letters;
    return '';
  });
  source = source
    .replaceAll(POSIX, posixClass)
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replace(/\\p([A-Z])(?![{a-z])/g, '\\p{$1}')
    .replace(/\\pN/g, '\\p{N}');
  try {
    return new RegExp(source, flags);
  } catch {
    // Unicode mode refuses needless escapes such as `\-` or `\_`, which Go allows for punctuation.
    try {
      return new RegExp(source, flags.replace('u', ''));
    } catch {
      throw fault('invalid expression', pattern);
    }
  }
};
