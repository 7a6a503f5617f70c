import { SelectorError } from './label-requirement.ts';

export interface FieldRequirement {
  /** A path such as `spec.nodeName`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

const OPERATORS = ['!=', '==', '='] as const;

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  let value = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\') {
      const next = text.charAt(++index);
      if (next === '' || !'\\,='.includes(next)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
      }
      value += next;
    } else if (character === ',' || character === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else {
      value += character;
    }
  }
  return value;
}

function splitTerm(term: string): [string, FieldRequirement['operator'], string] | undefined {
  for (let index = 0; index < term.length; index++) {
    const operator = OPERATORS.find((candidate) => term.startsWith(candidate, index));
    if (operator === undefined) continue;
    return [term.slice(0, index), operator === '!=' ? '!=' : '=', term.slice(index + operator.length)];
  }
  return undefined;
}

/**
 * Reads a field selector: `spec.nodeName=a,status.phase!=Running`. Which fields a kind supports is the API's business.
 *
 * @throws {SelectorError} in the words of apimachinery's pkg/fields.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const parts = splitTerm(term);
    if (parts === undefined) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [field, operator, value] = parts;
    requirements.push({ field, operator, value: unescapeValue(value) });
  }
  return requirements;
}

/** Escapes a literal for use as a field selector's value. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');
