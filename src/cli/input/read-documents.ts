import type { Document, YAMLError } from 'yaml';
import { yamlProblem } from '../../kube/yaml-problem.ts';
import { UserError } from '../user-error.ts';
import { readMachineYaml } from './machine-yaml.ts';

/** One document of a file, as plain data. */
export interface InputDocument {
  readonly value: unknown;
  /** Counted from 1, in the whole file. */
  readonly index: number;
  /** The line of the file on which the document's content begins, from 1. */
  readonly line: number;
}

/**
 * The documents of a YAML or JSON text; empty ones are left out. Throws a UserError that names file, document and line
 * when one is malformed. JSON is tried first because its parser is a hundred times faster.
 */
export async function readDocuments(text: string, file: string): Promise<readonly InputDocument[]> {
  const json = parseJson(text);
  if (json !== undefined) return [{ value: json, index: 1, line: 1 }];
  if (text.includes('\0')) throw new UserError(`${file}: not a text file`, { code: 'KE1101' });
  return (await readMachineYaml(text)) ?? (await readYaml(text, file));
}

async function readYaml(text: string, file: string): Promise<readonly InputDocument[]> {
  const { LineCounter, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true });
  if (!Array.isArray(parsed)) return [];
  const documents: InputDocument[] = [];
  for (const [i, document] of (parsed as Document.Parsed[]).entries()) {
    const index = i + 1;
    const start = document.contents?.range?.[0] ?? document.range[0];
    const { line } = lines.linePos(start);
    if (document.errors[0]) throw malformed(file, index, document.errors[0]);
    const value = plainValue(document, `${file}: document ${index}, line ${line}`);
    if (value !== null && value !== undefined) documents.push({ value, index, line });
  }
  return documents;
}

function plainValue(document: Document.Parsed, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new UserError(`${where}: aliases stand for more than a file can hold`, { code: 'KE1101', cause: error });
  }
}

function parseJson(text: string): unknown {
  const first = /\S/.exec(text)?.[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function malformed(file: string, index: number, error: YAMLError): UserError {
  const position = error.linePos?.[0];
  const where = position ? `line ${position.line}, column ${position.col}` : 'unknown line';
  const said = yamlProblem(error.message).replace(/ at line \d+, column \d+$/, '');
  const reason = said.includes('call stack') ? 'nested too deeply' : said;
  const excerpt = error.message.split('\n').slice(1).join('\n').trim();
  return new UserError(`${file}: document ${index}, ${where}: not valid YAML: ${reason}`, {
    code: 'KE1101',
    because: excerpt ? [excerpt] : [],
    cause: error,
  });
}
