/** A place in a text; lines and columns count from 0. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** What go-yaml has against a text. `scanning`: it was about characters, not about their order. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault';

  constructor(problem: string, at: Mark, context: Mark | undefined, scanning: boolean) {
    const line = at.line > 0 ? at.line + (scanning ? 1 : 0) : (context?.line ?? 0);
    super(line > 0 ? `line ${line}: ${problem}` : problem);
  }
}

const BREAKS = '\n\r\u0085\u2028\u2029';

/** Walks through a text character by character, and knows where it is. */
export class YamlCursor {
  readonly #chars: readonly string[];
  #index = 0;
  #line = 0;
  #column = 0;

  constructor(text: string) {
    this.#chars = [...text];
  }

  get mark(): Mark {
    return { index: this.#index, line: this.#line, column: this.#column };
  }

  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#column;
  }

  get index(): number {
    return this.#index;
  }

  /** Undefined at the end. */
  peek(ahead = 0): string | undefined {
    return this.#chars[this.#index + ahead];
  }

  isBlank(ahead = 0): boolean {
    const char = this.peek(ahead);
    return char === ' ' || char === '\t';
  }

  isBreak(ahead = 0): boolean {
    const char = this.peek(ahead);
    return char !== undefined && BREAKS.includes(char);
  }

  isEnd(ahead = 0): boolean {
    return this.peek(ahead) === undefined;
  }

  isSpace(ahead = 0): boolean {
    return this.isEnd(ahead) || this.isBlank(ahead) || this.isBreak(ahead);
  }

  /** `---` or `...` at the beginning of a line. */
  get atDocumentMark(): boolean {
    const [first, second, third] = [this.peek(), this.peek(1), this.peek(2)];
    const same = first === second && second === third && (first === '-' || first === '.');
    return this.#column === 0 && same && this.isSpace(3);
  }

  skip(count = 1): void {
    this.#index += count;
    this.#column += count;
  }

  skipBreak(): void {
    this.#index += this.peek() === '\r' && this.peek(1) === '\n' ? 2 : 1;
    this.newLine();
  }

  skipComment(): void {
    if (this.peek() === '#') while (!this.isEnd() && !this.isBreak()) this.skip();
  }

  newLine(): void {
    this.#column = 0;
    this.#line++;
  }

  fault(problem: string, context?: Mark): YamlFault {
    return new YamlFault(problem, this.mark, context, true);
  }
}
