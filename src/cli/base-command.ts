import { Command } from '@oclif/core';
import { EXIT } from './exit-codes.ts';
import { globalFlags } from './flags/global-flags.ts';
import type { Io } from './io.ts';
import { StepReporter } from './steps.ts';
import { type Style, styleFor } from './style.ts';
import { type ColorFlag, type Terminal, terminalOf } from './terminal.ts';

/** What every command can do with the flags that all share. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  #io: Io | undefined;

  /** Runs the command in `io` and answers the exit code. Throws what `renderError` understands. */
  async start(io: Io): Promise<number> {
    this.#io = io;
    const code = await this._run<number | undefined>();
    return code ?? EXIT.done;
  }

  /** The process around the command. */
  protected get io(): Io {
    if (!this.#io) throw new Error('a command runs through start()');
    return this.#io;
  }

  protected get signal(): AbortSignal {
    return this.io.signal;
  }

  /** Milliseconds since the epoch. */
  protected now(): number {
    return Date.now();
  }

  protected print(text: string): void {
    this.io.stdout.write(text);
  }

  /** About the work, not its answer: one line on standard error. */
  protected say(text: string): void {
    this.io.stderr.write(`${text}\n`);
  }

  protected outTerminal(color: ColorFlag): Terminal {
    return terminalOf(this.io.stdout, this.io.env, color);
  }

  protected outStyle(color: ColorFlag): Style {
    return styleFor(this.outTerminal(color));
  }

  /** A reporter of steps on standard error. */
  protected steps(flags: { readonly color: ColorFlag; readonly quiet: boolean }): StepReporter {
    const terminal = terminalOf(this.io.stderr, this.io.env, flags.color);
    return new StepReporter({
      stream: this.io.stderr,
      terminal,
      style: styleFor(terminal),
      quiet: flags.quiet,
      now: () => this.now(),
    });
  }

  /** Errors are rendered by `main`; oclif's own handling would print and exit. */
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }
}
