import type { OutputStream } from './io.ts';
import type { Style } from './style.ts';
import type { Terminal } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 80;
/** From here on the line says how long it has been waiting. */
const SLOW_MS = 2_000;

export interface StepReporterDeps {
  readonly stream: OutputStream;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly quiet: boolean;
  readonly now: () => number;
}

/** Says what is being done, one step at a time: a live line on a terminal, a line at start and at end elsewhere. */
export class StepReporter {
  readonly #deps: StepReporterDeps;
  #clearLine: () => void = () => {};

  constructor(deps: StepReporterDeps) {
    this.#deps = deps;
  }

  /**
   * Runs one step. `detail` turns its result into a few words for the settled line, `underWay` are some for the live one.
   */
  async step<T>(
    name: string,
    work: () => Promise<T>,
    detail?: (result: T) => string,
    underWay?: () => string,
  ): Promise<T> {
    const { style, now } = this.#deps;
    const startedAt = now();
    const seconds = (): string => `${((now() - startedAt) / 1000).toFixed(1)}s`;
    const stop = this.#begin(() => `${name}${underWay?.() ?? ''}`, startedAt);
    try {
      const result = await work();
      stop();
      const words = detail?.(result) ?? '';
      this.#line(
        `${style.good(style.tick)} ${name.padEnd(24)} ${style.dim(seconds().padStart(5))}  ${words}`.trimEnd(),
      );
      return result;
    } catch (error) {
      stop();
      this.#line(`${style.bad(style.cross)} ${name.padEnd(24)} ${style.dim(seconds().padStart(5))}`);
      throw error;
    }
  }

  /** A line between or after steps. */
  note(text: string): void {
    this.#clearLine();
    this.#line(text);
  }

  #line(text: string): void {
    if (!this.#deps.quiet) this.#deps.stream.write(`${text}\n`);
  }

  #begin(name: () => string, startedAt: number): () => void {
    const { stream, terminal, style, quiet, now } = this.#deps;
    if (quiet) return () => {};
    if (!terminal.live) {
      this.#line(`${name()}…`);
      return () => {};
    }
    let frame = 0;
    const draw = (): void => {
      const waited = now() - startedAt;
      const since = waited > SLOW_MS ? style.dim(` ${Math.floor(waited / 1000)}s`) : '';
      const spinner = terminal.unicode ? FRAMES[frame++ % FRAMES.length] : '|/-\\'[frame++ % 4];
      stream.write(`\r\u001B[K${spinner} ${name()}${since}`);
    };
    draw();
    const timer = setInterval(draw, FRAME_MS);
    const stop = (): void => {
      clearInterval(timer);
      stream.write('\r\u001B[K');
      this.#clearLine = () => {};
    };
    this.#clearLine = () => stream.write('\r\u001B[K');
    return stop;
  }
}
