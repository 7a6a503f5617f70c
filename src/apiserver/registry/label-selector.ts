import { badRequest } from '../api-refusals.ts';

type Labels = Readonly<Record<string, string>>;
type Matches = (labels: Labels) => boolean;

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const valuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const nameMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const prefixMessage =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const valueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const operators = ['!=', '==', '=', '>', '<', '!', '(', ')', ','] as const;

/** Words and operators of a selector; '' at the end. */
function tokens(text: string): readonly string[] {
  const found: string[] = [];
  let position = 0;
  while (position < text.length) {
    if (/\s/.test(text.charAt(position))) {
      position++;
      continue;
    }
    const operator = operators.find((candidate) => text.startsWith(candidate, position));
    if (operator) {
      found.push(operator);
      position += operator.length;
      continue;
    }
    const word = /^[^\s!=><(),]+/.exec(text.slice(position))?.[0] ?? '';
    found.push(word);
    position += word.length;
  }
  return [...found, ''];
}

const isWord = (token: string): boolean => token !== '' && !(operators as readonly string[]).includes(token);

/**
 * Parses a label selector in the query syntax. Throws ApiError 400 in the words of apimachinery's labels package.
 */
export function parseLabelSelector(text: string): Matches {
  const list = tokens(text);
  let index = 0;
  const peek = (): string => list[index] ?? '';
  const next = (): string => list[index++] ?? '';
  const requirements: Matches[] = [];

  if (peek() === '') return () => true;
  for (;;) {
    const token = peek();
    if (!isWord(token) && token !== '!') {
      throw badRequest(
        requirements.length === 0
          ? `found '${token}', expected: !, identifier, or 'end of string'`
          : `found '${token}', expected: identifier after ','`,
      );
    }
    requirements.push(requirement());
    const after = next();
    if (after === '') break;
    if (after !== ',') throw badRequest(`found '${after}', expected: ',' or 'end of string'`);
  }
  return (labels) => requirements.every((matches) => matches(labels));

  function requirement(): Matches {
    const negated = peek() === '!';
    if (negated) next();
    const key = next();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    checkKey(key);
    if (peek() === '' || peek() === ',') {
      return negated ? (labels) => !(key in labels) : (labels) => key in labels;
    }
    const operator = next();
    switch (operator) {
      case 'in':
      case 'notin': {
        const values = set();
        for (const [at, value] of values.entries()) checkValue(key, value, at);
        return operator === 'in'
          ? (labels) => key in labels && values.includes(labels[key] as string)
          : (labels) => !(key in labels) || !values.includes(labels[key] as string);
      }
      case '=':
      case '==': {
        const value = exact();
        checkValue(key, value, 0);
        return (labels) => labels[key] === value;
      }
      case '!=': {
        const value = exact();
        checkValue(key, value, 0);
        return (labels) => labels[key] !== value;
      }
      case '>':
      case '<': {
        const value = exact();
        if (!/^-?\d+$/.test(value)) {
          throw unparsable(
            `values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
        const bound = Number(value);
        return (labels) => {
          const found = labels[key];
          if (found === undefined || !/^-?\d+$/.test(found)) return false;
          return operator === '>' ? Number(found) > bound : Number(found) < bound;
        };
      }
      default:
        throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  function exact(): string {
    if (peek() === '' || peek() === ',') return '';
    const value = next();
    if (!isWord(value)) throw unparsable(`found '${value}', expected: identifier`);
    return value;
  }

  function set(): readonly string[] {
    const open = next();
    if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
    const values: string[] = [];
    if (peek() === ')') {
      next();
      return [''];
    }
    for (;;) {
      values.push(isWord(peek()) ? next() : '');
      const after = next();
      if (after === ')') return values;
      if (after !== ',') throw unparsable(`found '${after}', expected: ',' or ')'`);
      if (peek() === ')') {
        next();
        return [...values, ''];
      }
    }
  }
}

const unparsable = (why: string) => badRequest(`unable to parse requirement: ${why}`);

function checkKey(key: string): void {
  const slash = key.indexOf('/');
  const name = slash < 0 ? key : key.slice(slash + 1);
  const refuse = (why: string) => unparsable(`<nil>: Invalid value: "${key}": ${why}`);
  if (slash >= 0 && !prefixPattern.test(key.slice(0, slash))) throw refuse(prefixMessage);
  if (!namePattern.test(name)) throw refuse(nameMessage);
  if (name.length > 63) throw refuse('name part must be no more than 63 bytes');
}

function checkValue(key: string, value: string, index: number): void {
  const refuse = (why: string) => unparsable(`values[${index}][${key}]: Invalid value: "${value}": ${why}`);
  if (value.length > 63) throw refuse('must be no more than 63 bytes');
  if (!valuePattern.test(value)) throw refuse(valueMessage);
}
