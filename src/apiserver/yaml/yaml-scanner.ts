import { skipBlock, skipPlain, skipQuoted } from './scan-scalars.ts';
import { type Mark, YamlCursor } from './yaml-cursor.ts';

export type TokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'sequence-start'
  | 'mapping-start'
  | 'block-end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | 'entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly type: TokenType;
  readonly start: Mark;
  /** Of anchors and aliases. */
  readonly name?: string;
}

/** What may turn out to be a key once a colon follows. */
interface SimpleKey {
  possible: boolean;
  readonly required: boolean;
  readonly number: number;
  readonly mark: Mark;
}

const LONGEST_KEY = 1024;

/** Cuts YAML into tokens as libyaml does, as far as its complaints go: what scalars say is left out. */
export class YamlScanner {
  readonly #cursor: YamlCursor;
  readonly #tokens: Token[] = [];
  readonly #indents: number[] = [];
  readonly #keys: (SimpleKey | undefined)[] = [undefined];
  #indent = -1;
  #keyAllowed = true;
  #taken = 0;

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
  }

  /** @throws YamlFault */
  peek(): Token {
    for (;;) {
      const [head] = this.#tokens;
      if (head !== undefined) {
        const key = this.#keys.find((one) => one?.possible && one.number === this.#taken);
        if (key === undefined || !this.#isValid(key)) return head;
      }
      this.#fetch();
    }
  }

  take(): Token {
    const token = this.peek();
    this.#tokens.shift();
    this.#taken++;
    return token;
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    const cursor = this.#cursor;
    if (key.mark.line >= cursor.line && key.mark.index + LONGEST_KEY >= cursor.index) return true;
    if (key.required) throw cursor.fault("could not find expected ':'", key.mark);
    key.possible = false;
    return false;
  }

  #saveKey(): void {
    const required = !this.#inFlow && this.#indent === this.#cursor.column;
    if (!this.#keyAllowed) return;
    this.#dropKey();
    const number = this.#taken + this.#tokens.length;
    this.#keys[this.#keys.length - 1] = { possible: true, required, number, mark: this.#cursor.mark };
  }

  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key?.possible && key.required) throw this.#cursor.fault("could not find expected ':'", key.mark);
    if (key) key.possible = false;
  }

  #roll(column: number, type: TokenType, mark: Mark, at = this.#tokens.length): void {
    if (this.#inFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#tokens.splice(at, 0, { type, start: mark });
  }

  #unroll(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#tokens.push({ type: 'block-end', start: this.#cursor.mark });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #toNext(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.peek() === '\ufeff') cursor.skip();
      while (cursor.peek() === ' ' || ((this.#inFlow || !this.#keyAllowed) && cursor.peek() === '\t')) cursor.skip();
      cursor.skipComment();
      if (!cursor.isBreak()) return;
      cursor.skipBreak();
      if (!this.#inFlow) this.#keyAllowed = true;
    }
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#toNext();
    this.#unroll(cursor.column);
    const char = cursor.peek();
    if (char === undefined) this.#end();
    else if (cursor.column === 0 && char === '%') this.#directive();
    else if (cursor.atDocumentMark) this.#documentMark(char === '-' ? 'document-start' : 'document-end');
    else if (char === '[' || char === '{') this.#open(char);
    else if (char === ']' || char === '}') this.#close(char);
    else if (char === ',') this.#indicator(',', true);
    else if (char === '-' && cursor.isSpace(1)) this.#entry();
    else if (char === '?' && (this.#inFlow || cursor.isSpace(1))) this.#key();
    else if (char === ':' && (this.#inFlow || cursor.isSpace(1))) this.#value();
    else if (char === '*' || char === '&') this.#anchor(char === '*' ? 'alias' : 'anchor');
    else if (char === '!') this.#tag();
    else this.#scalar(char);
  }

  #end(): void {
    if (this.#cursor.column !== 0) this.#cursor.newLine();
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#tokens.push({ type: 'stream-end', start: this.#cursor.mark });
  }

  #directive(): void {
    const cursor = this.#cursor;
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const start = cursor.mark;
    cursor.skip();
    let name = '';
    for (; /^[\w-]$/.test(cursor.peek() ?? ''); cursor.skip()) name += cursor.peek();
    if (name === '') throw cursor.fault('could not find expected directive name', start);
    if (!cursor.isSpace()) throw cursor.fault('found unexpected non-alphabetical character', start);
    if (name !== 'YAML' && name !== 'TAG') throw cursor.fault('found unknown directive name', start);
    while (!cursor.isEnd() && !cursor.isBreak()) cursor.skip();
    if (cursor.isBreak()) cursor.skipBreak();
    this.#tokens.push({ type: 'directive', start });
  }

  #documentMark(type: TokenType): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#tokens.push({ type, start: this.#cursor.mark });
    this.#cursor.skip(3);
  }

  #open(type: '[' | '{'): void {
    this.#saveKey();
    this.#keys.push(undefined);
    this.#keyAllowed = true;
    this.#push(type);
  }

  #close(type: ']' | '}'): void {
    this.#dropKey();
    if (this.#inFlow) this.#keys.pop();
    this.#keyAllowed = false;
    this.#push(type);
  }

  #indicator(type: TokenType, allowed: boolean): void {
    this.#dropKey();
    this.#keyAllowed = allowed;
    this.#push(type);
  }

  #push(type: TokenType): void {
    this.#tokens.push({ type, start: this.#cursor.mark });
    this.#cursor.skip();
  }

  #entry(): void {
    if (!this.#inFlow) {
      if (!this.#keyAllowed) throw this.#cursor.fault('block sequence entries are not allowed in this context');
      this.#roll(this.#cursor.column, 'sequence-start', this.#cursor.mark);
    }
    this.#indicator('entry', true);
  }

  #key(): void {
    if (!this.#inFlow) {
      if (!this.#keyAllowed) throw this.#cursor.fault('mapping keys are not allowed in this context');
      this.#roll(this.#cursor.column, 'mapping-start', this.#cursor.mark);
    }
    this.#indicator('key', !this.#inFlow);
  }

  #value(): void {
    const key = this.#keys.at(-1);
    if (key && this.#isValid(key)) {
      const at = key.number - this.#taken;
      this.#tokens.splice(at, 0, { type: 'key', start: key.mark });
      this.#roll(key.mark.column, 'mapping-start', key.mark, at);
      key.possible = false;
      this.#keyAllowed = false;
    } else {
      if (!this.#inFlow) {
        if (!this.#keyAllowed) throw this.#cursor.fault('mapping values are not allowed in this context');
        this.#roll(this.#cursor.column, 'mapping-start', this.#cursor.mark);
      }
      this.#keyAllowed = !this.#inFlow;
    }
    this.#push('value');
  }

  #anchor(type: 'alias' | 'anchor'): void {
    const cursor = this.#cursor;
    this.#saveKey();
    this.#keyAllowed = false;
    const start = cursor.mark;
    cursor.skip();
    let name = '';
    for (; /^[\w-]$/.test(cursor.peek() ?? ''); cursor.skip()) name += cursor.peek();
    if (name === '' || !(cursor.isSpace() || '?:,]}%@`'.includes(cursor.peek() ?? ''))) {
      throw cursor.fault('did not find expected alphabetic or numeric character', start);
    }
    this.#tokens.push({ type, start, name });
  }

  #tag(): void {
    const cursor = this.#cursor;
    this.#saveKey();
    this.#keyAllowed = false;
    const start = cursor.mark;
    while (/^[\w!;/?:@&=+$.,%~*'()[\]<>#-]$/.test(cursor.peek() ?? '')) cursor.skip();
    if (!cursor.isSpace()) throw cursor.fault('did not find expected whitespace or line break', start);
    this.#tokens.push({ type: 'tag', start });
  }

  #scalar(char: string): void {
    const cursor = this.#cursor;
    const start = cursor.mark;
    if ((char === '|' || char === '>') && !this.#inFlow) {
      this.#dropKey();
      this.#keyAllowed = true;
      skipBlock(cursor, this.#indent);
    } else if (char === "'" || char === '"') {
      this.#saveKey();
      this.#keyAllowed = false;
      skipQuoted(cursor, char);
    } else {
      const starts = !cursor.isSpace() && !'-?:,[]{}#&*!|>\'"%@`'.includes(char);
      const dash = char === '-' && !cursor.isBlank(1);
      const sign = !this.#inFlow && (char === '?' || char === ':') && !cursor.isSpace(1);
      if (!starts && !dash && !sign) throw cursor.fault('found character that cannot start any token', start);
      this.#saveKey();
      this.#keyAllowed = skipPlain(cursor, this.#indent + 1, this.#inFlow);
    }
    this.#tokens.push({ type: 'scalar', start });
  }
}
