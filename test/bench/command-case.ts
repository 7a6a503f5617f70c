import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runProcess } from './run-process.ts';
import { header, median, millis, row } from './table.ts';
import type { BenchWorld } from './worlds.ts';

/** A command as a user types it, on a saved cluster. */
export interface CommandCase {
  readonly args: readonly string[];
  readonly world: BenchWorld;
}

export const COMMAND_HEADER = header(['command', 'cluster', 'file, MB', 'ms', 'peak MB']);

/** From the start of the process to its end, reading the file included: the median of the runs. */
export async function commandRow({ args, world }: CommandCase, runs: string): Promise<string> {
  const millisOfRuns: number[] = [];
  let peak = 0;
  const main = program();
  for (let i = 0; i < Number(runs); i++) {
    const start = performance.now();
    const { peakMb } = await runProcess(process.execPath, [main, ...args, '--from', world.file]);
    millisOfRuns.push(performance.now() - start);
    peak = Math.max(peak, peakMb);
  }
  const size = statSync(world.file).size / 1e6;
  return row([
    `\`${args.join(' ')}\``,
    `${world.kind} ${world.size}`,
    size.toFixed(1),
    millis(median(millisOfRuns)),
    peak.toFixed(0),
  ]);
}

/** The bundle, built for this run. */
let built: string | undefined;
function program(): string {
  if (!built) {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    execFileSync(process.execPath, [`${root}/hack/build.ts`], { stdio: 'ignore' });
    built = `${root}/dist/main.js`;
    if (!existsSync(built)) throw new Error(`${built} was not built`);
  }
  return built;
}
