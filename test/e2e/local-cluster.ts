import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

const BIN = resolve(import.meta.dirname, '../../bin');

/** What a command printed, and how it ended. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/**
 * A user's shell: an empty home, the plugin's bin/ on PATH and the real kubectl, which env KUBECTL names. Nothing of it
 * outlives `close`.
 */
export class Shell {
  readonly home: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(home: string) {
    this.home = home;
    const kubectl = process.env.KUBECTL;
    this.#env = {
      PATH: [BIN, ...(kubectl ? [dirname(kubectl)] : []), process.env.PATH].join(delimiter),
      HOME: home,
      TERM: 'dumb',
    };
  }

  static async open(): Promise<Shell> {
    return new Shell(await mkdtemp(join(tmpdir(), 'kubectl-karpenter-e2e-')));
  }

  /** Runs a program to its end, whatever its exit code. */
  async run(program: string, args: readonly string[], options: { input?: string } = {}): Promise<Ran> {
    const ran = await execa(program, args, {
      env: this.#env,
      extendEnv: false,
      reject: false,
      timeout: 60_000,
      ...options,
    });
    return { stdout: ran.stdout, stderr: ran.stderr, exitCode: ran.exitCode };
  }

  /** A command line split at spaces, which must succeed; answers what it printed. */
  async succeed(line: string, options: { input?: string } = {}): Promise<string> {
    const [program = '', ...args] = line.split(' ');
    const ran = await this.run(program === 'kubectl' ? (process.env.KUBECTL ?? 'kubectl') : program, args, options);
    if (ran.exitCode !== 0) throw new Error(`${line}: exit ${ran.exitCode}\n${ran.stdout}\n${ran.stderr}`);
    return ran.stdout;
  }

  async json<T>(line: string): Promise<T> {
    return JSON.parse(await this.succeed(`${line} -o json`)) as T;
  }

  async close(): Promise<void> {
    await this.run(join(BIN, 'kubectl-karpenter'), ['down']);
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Asks until the answer is as wanted, and gives it; fails with the last answer when time is up. */
export async function eventually<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  seconds: number,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > end) throw new Error(`not so after ${seconds} s: ${JSON.stringify(answer)}`);
    await sleep(250);
  }
}
