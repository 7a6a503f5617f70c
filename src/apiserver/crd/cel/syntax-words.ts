/** What cel-go's parser says of an expression that it can't read. */

const STARTS = "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const EXPRESSION_STARTS = `{'[', '{', '(', ${STARTS}`;
const ARGUMENT_STARTS = `{'[', '{', '(', ')', ${STARTS}`;

const TOKEN =
  /^(?:[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?u?|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[=!<>]=|&&|\|\||\S)/;

/** A complaint in the form of cel-go's error lists: place, words, and the expression with a mark under the place. */
export const located = (expression: string, position: number, words: string): string => {
  if (expression === '') return `ERROR: <input>:1:0: ${words}`;
  const before = expression.slice(0, position).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${words}\n | ${line}\n | ${'.'.repeat(column)}^`;
};

const tokenAt = (expression: string, position: number): string =>
  TOKEN.exec(expression.slice(position))?.[0] ?? '<EOF>';

/** What stands after a whole expression; a single token is passed over, more are not. */
const leftOver = (expression: string, position: number): string => {
  const token = tokenAt(expression, position);
  const rest = expression.slice(position + token.length).trim();
  return `${rest === '' ? 'extraneous' : 'mismatched'} input '${token}' expecting <EOF>`;
};

const expected = (expression: string, position: number, wanted: string): string => {
  const token = tokenAt(expression, position);
  const atEnd = token === '<EOF>';
  if (wanted === 'IDENTIFIER') return `no viable alternative at input '.${atEnd ? '' : token}'`;
  if (wanted === 'RPAREN') return `missing ')' at '${token}'`;
  if (wanted === 'COLON') return atEnd ? "mismatched input '<EOF>' expecting ':'" : `missing ':' at '${token}'`;
  const close = wanted === 'RBRACKET' ? "']'" : "'}'";
  return `mismatched input '${token}' expecting {${close}, ','}`;
};

/** A lone `=`: the lexer drops it along with the character behind it, and the parser goes on with what follows. */
const loneEquals = (expression: string, position: number): string => {
  const error = `Syntax error: token recognition error at: '${expression.slice(position, position + 2)}'`;
  const first = located(expression, position, error);
  const from = position + 2 + (/^\s*/.exec(expression.slice(position + 2))?.[0].length ?? 0);
  const goesOn = from >= expression.length || /[=<>!&|+\-*/%(,]\s*$/.test(expression.slice(0, position));
  if (goesOn) return first;
  return `${first}\n${located(expression, from, `Syntax error: ${leftOver(expression, from)}`)}`;
};

/** @param summary what cel-js says. */
export const syntaxWords = (expression: string, position: number, summary: string): string => {
  const error = (words: string): string => located(expression, position, `Syntax error: ${words}`);
  if (summary === 'Unexpected token: EOF') {
    const inCall = /\w\($/.test(expression.trimEnd());
    return error(`mismatched input '<EOF>' expecting ${inCall ? ARGUMENT_STARTS : EXPRESSION_STARTS}`);
  }
  if (summary === 'Unexpected character: =') return loneEquals(expression, position);
  if (summary.startsWith('Unexpected character: ')) return error(leftOver(expression, position));
  if (summary.startsWith('Unexpected token: ')) {
    return error(`extraneous input '${tokenAt(expression, position)}' expecting ${EXPRESSION_STARTS}`);
  }
  if (summary.startsWith('Reserved identifier: ')) {
    return located(expression, position, summary.replace('Reserved', 'reserved'));
  }
  const wanted = /^Expected (\w+), got/.exec(summary)?.[1];
  if (wanted !== undefined) return error(expected(expression, position, wanted));
  if (summary === 'Unterminated string') {
    const text = expression.slice(position);
    const first = error(`token recognition error at: '${text}'`);
    return `${first}\n${located(expression, expression.length, `Syntax error: mismatched input '<EOF>' expecting ${EXPRESSION_STARTS}`)}`;
  }
  return error(summary);
};
