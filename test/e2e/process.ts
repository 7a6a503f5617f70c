import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** How long a program may take to end by itself, in milliseconds. */
const PATIENCE = 5000;

/** A program that runs in the background, its output in a file. */
export class Program implements AsyncDisposable {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #stopping = false;

  constructor(command: readonly [string, ...string[]], log: string, env: Readonly<Record<string, string>> = {}) {
    const [file, ...args] = command;
    this.name = file.split('/').at(-1) ?? file;
    const output = openSync(log, 'a');
    this.#child = spawn(file, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
    closeSync(output);
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}, see ${log}`));
    });
  }

  /** Throws when it could not be started. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} was not started`);
    return this.#child.pid;
  }

  /** Resolves when the program has ended, or `signal` aborts. */
  async untilEnd(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([this.#ended, aborted.promise]);
  }

  /** Rejects when the program ends though nobody stopped it. */
  async untilFailure(): Promise<never> {
    const how = await this.#ended;
    if (this.#stopping) return await new Promise<never>(() => {});
    throw new Error(`${this.name} ${how}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE);
    await exit;
    clearTimeout(impatience);
  }
}
