import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process printed, and the most memory it held, in MB. Throws when it fails. */
export async function runProcess(
  command: string,
  args: readonly string[],
): Promise<{ readonly output: string; readonly peakMb: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  let peakMb = 0;
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const poll = setInterval(() => {
    peakMb = Math.max(peakMb, highWater(child.pid));
  }, 50);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(poll);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`);
  return { output, peakMb };
}

function highWater(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
