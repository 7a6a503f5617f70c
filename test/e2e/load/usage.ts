import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process took while it was watched. */
export interface Usage {
  /** Cores it kept busy on average. */
  readonly cores: number;
  /** Resident memory in MiB that 95 of 100 samples stayed below. */
  readonly memoryP95: number;
}

interface Sample {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly residentMib: number;
}

const SAMPLE_EVERY_MS = 500;

/** Samples the processor time and the memory of a process twice a second, from /proc. */
export class UsageMeter {
  readonly #pid: number;
  readonly #ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  readonly #timer: NodeJS.Timeout;
  #samples: Sample[] = [];

  constructor(pid: number) {
    this.#pid = pid;
    this.#samples.push(this.#sample());
    this.#timer = setInterval(() => this.#samples.push(this.#sample()), SAMPLE_EVERY_MS);
  }

  /** Usage since the last call, or since the start. */
  lap(): Usage {
    const now = this.#sample();
    const samples = [...this.#samples, now];
    const [first = now] = samples;
    this.#samples = [now];
    const sorted = samples.map(({ residentMib }) => residentMib).toSorted((a, b) => a - b);
    return {
      cores: (now.cpuSeconds - first.cpuSeconds) / ((now.atMs - first.atMs) / 1000),
      memoryP95: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN,
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): Sample {
    const stat = readFileSync(`/proc/${this.#pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold spaces; what follows it doesn't.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return {
      atMs: performance.now(),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / this.#ticksPerSecond,
      residentMib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    };
  }
}
