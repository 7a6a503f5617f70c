import { labelKeyProblems } from './label-names.ts';
import { checkRequirement, type LabelOperator, type LabelRequirement, SelectorError } from './label-requirement.ts';

type TokenKind =
  | 'identifier'
  | 'end'
  | 'in'
  | 'notin'
  | '='
  | '=='
  | '!='
  | '!'
  | '>'
  | '<'
  | '('
  | ')'
  | ','
  | 'error';
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const WHITESPACE = ' \t\r\n';
const SPECIAL = '=!(),><';
const SYMBOLS: readonly string[] = [')', ',', '!', '==', '=', '>', '<', '!=', '('];
const BINARY: Readonly<Partial<Record<TokenKind, LabelOperator>>> = {
  in: 'In',
  notin: 'NotIn',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'Gt',
  '<': 'Lt',
};

/** The longest symbol at `start`; symbols are at most two characters. */
function symbolAt(text: string, start: number): string {
  const pair = text.slice(start, start + 2);
  return SYMBOLS.includes(pair) ? pair : text.slice(start, start + 1);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (WHITESPACE.includes(character)) {
      position++;
    } else if (SPECIAL.includes(character)) {
      const symbol = symbolAt(text, position);
      tokens.push({ kind: symbol as TokenKind, text: symbol });
      position += symbol.length;
    } else {
      let end = position + 1;
      while (end < text.length && !(SPECIAL + WHITESPACE).includes(text.charAt(end))) end++;
      const word = text.slice(position, end);
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
      position = end;
    }
  }
  return tokens;
}

const END: Token = { kind: 'end', text: '' };
const isWord = ({ kind }: Token): boolean => kind === 'identifier' || kind === 'in' || kind === 'notin';

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? END;
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') return requirements;
      if (!isWord(first) && first.kind !== '!') {
        throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === 'end') return requirements;
      if (separator.kind !== ',') {
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const next = this.#peek();
      if (!isWord(next) && next.kind !== '!') {
        throw new SelectorError(`found '${next.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#requirementParts();
    } catch (error) {
      if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #requirementParts(): LabelRequirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (!isWord(key)) throw new SelectorError(`found '${key.text}', expected: identifier`);
    const problems = labelKeyProblems(key.text);
    if (problems.length > 0) {
      throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problems.join('; ')}`);
    }
    if (negated) return checkRequirement({ key: key.text, operator: 'DoesNotExist', values: [] });
    const after = this.#peek().kind;
    if (after === 'end' || after === ',') return checkRequirement({ key: key.text, operator: 'Exists', values: [] });
    const token = this.#take();
    const operator = BINARY[token.kind];
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = operator === 'In' || operator === 'NotIn' ? this.#set() : this.#exact();
    return checkRequirement({ key: key.text, operator, values });
  }

  #exact(): string[] {
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return [''];
    this.#take();
    if (!isWord(next)) throw new SelectorError(`found '${next.text}', expected: identifier`);
    return [next.text];
  }

  /** `(a,b,,c)`: an empty place is the empty string, and `()` holds it too. */
  #set(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    const first = this.#peek();
    if (!isWord(first) && first.kind !== ',' && first.kind !== ')') {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    for (;;) {
      const token = this.#peek();
      if (isWord(token)) {
        values.add(token.text);
        this.#take();
      } else if (token.kind === ',' || token.kind === ')') {
        values.add('');
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
      const separator = this.#take();
      if (separator.kind === ')') return [...values].toSorted();
      if (separator.kind !== ',') throw new SelectorError(`found '${separator.text}', expected: ',' or ')'`);
    }
  }
}

/**
 * Reads the query syntax of label selectors: `app=web,tier in (a,b),!canary`. Requirements come sorted by key.
 *
 * @throws {SelectorError} in the words of apimachinery's parser, as kubectl and the API print them.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return new Parser(text).parse().sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
