import { YamlFault } from './yaml-cursor.ts';
import { type TokenType, YamlScanner } from './yaml-scanner.ts';

/** Characters that go-yaml's reader refuses. */
const CONTROL = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** What go-yaml says of a text that it can't read, without its `yaml: `; undefined where it can. */
export const yamlComplaint = (text: string): string | undefined => {
  if (CONTROL.test(text)) return 'control characters are not allowed';
  try {
    new Reader(new YamlScanner(text)).document();
    return undefined;
  } catch (error) {
    if (error instanceof YamlFault) return error.message;
    throw error;
  }
};

/** Follows the tokens of the first document through YAML's grammar, in libyaml's order. */
class Reader {
  readonly #scanner: YamlScanner;
  readonly #anchors = new Set<string>();

  constructor(scanner: YamlScanner) {
    this.#scanner = scanner;
  }

  document(): void {
    while (this.#is('document-end')) this.#scanner.take();
    if (this.#is('stream-end')) return;
    let explicit = false;
    while (this.#is('directive')) {
      this.#scanner.take();
      explicit = true;
    }
    if (this.#is('document-start')) this.#scanner.take();
    else if (explicit) throw this.#fault('did not find expected <document start>');
    if (!this.#is('directive', 'document-start', 'document-end', 'stream-end')) this.#node(true, false);
    this.#scanner.peek();
  }

  #is(...types: readonly TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  #fault(problem: string, context?: YamlFaultContext): YamlFault {
    return new YamlFault(problem, this.#scanner.peek().start, context, false);
  }

  #node(block: boolean, indentless: boolean): void {
    const { start } = this.#scanner.peek();
    let decorated = false;
    while (this.#is('anchor', 'tag')) {
      const { name } = this.#scanner.take();
      if (name !== undefined) this.#anchors.add(name);
      decorated = true;
    }
    const { type, name = '' } = this.#scanner.peek();
    if (type === 'alias' && !decorated) {
      if (!this.#anchors.has(name)) throw new UnknownAnchor(name, start);
      this.#scanner.take();
    } else if (indentless && type === 'entry') this.#indentless();
    else if (type === 'scalar') this.#scanner.take();
    else if (type === '[') this.#flowSequence();
    else if (type === '{') this.#flowMapping();
    else if (block && type === 'sequence-start') this.#blockSequence();
    else if (block && type === 'mapping-start') this.#blockMapping();
    else if (!decorated) throw this.#fault('did not find expected node content', start);
  }

  #blockSequence(): void {
    const { start } = this.#scanner.take();
    while (this.#is('entry')) {
      this.#scanner.take();
      if (!this.#is('entry', 'block-end')) this.#node(true, false);
    }
    if (!this.#is('block-end')) throw this.#fault("did not find expected '-' indicator", start);
    this.#scanner.take();
  }

  #indentless(): void {
    while (this.#is('entry')) {
      this.#scanner.take();
      if (!this.#is('entry', 'key', 'value', 'block-end')) this.#node(true, false);
    }
  }

  #blockMapping(): void {
    const { start } = this.#scanner.take();
    while (this.#is('key')) {
      this.#scanner.take();
      if (!this.#is('key', 'value', 'block-end')) this.#node(true, true);
      if (!this.#is('value')) continue;
      this.#scanner.take();
      if (!this.#is('key', 'value', 'block-end')) this.#node(true, true);
    }
    if (!this.#is('block-end')) throw this.#fault('did not find expected key', start);
    this.#scanner.take();
  }

  #flowSequence(): void {
    const { start } = this.#scanner.take();
    for (let first = true; !this.#is(']'); first = false) {
      if (!first) this.#comma(']', start);
      if (this.#is(']')) break;
      if (this.#is('key')) {
        this.#scanner.take();
        if (!this.#is('value', ',', ']')) this.#node(false, false);
        this.#flowValue(']');
      } else this.#node(false, false);
    }
    this.#scanner.take();
  }

  #flowMapping(): void {
    const { start } = this.#scanner.take();
    for (let first = true; !this.#is('}'); first = false) {
      if (!first) this.#comma('}', start);
      if (this.#is('}')) break;
      if (this.#is('key')) {
        this.#scanner.take();
        if (!this.#is('value', ',', '}')) this.#node(false, false);
        this.#flowValue('}');
      } else this.#node(false, false);
    }
    this.#scanner.take();
  }

  #comma(end: ']' | '}', start: YamlFaultContext): void {
    if (!this.#is(',')) throw this.#fault(`did not find expected ',' or '${end}'`, start);
    this.#scanner.take();
  }

  #flowValue(end: ']' | '}'): void {
    if (!this.#is('value')) return;
    this.#scanner.take();
    if (!this.#is(',', end)) this.#node(false, false);
  }
}

type YamlFaultContext = NonNullable<ConstructorParameters<typeof YamlFault>[2]>;

/** Said by the composer, which doesn't know where it is. */
class UnknownAnchor extends YamlFault {
  constructor(name: string, { index }: YamlFaultContext) {
    super(`unknown anchor '${name}' referenced`, { index, line: 0, column: 0 }, undefined, false);
  }
}
