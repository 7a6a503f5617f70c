import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Difference {
  readonly case: string;
  readonly what: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export interface VerifyOptions {
  readonly kubeconfig: string;
  /** Path of the cases. */
  readonly cases: string;
  /** Folder of the definitions that cases name. */
  readonly crds: string;
  /** For reports. */
  readonly folder: string;
}

/** Runs the recorder's own verify over some cases. `run` keeps its objects apart from those of other runs. */
export async function verify(
  options: VerifyOptions & { readonly run: string; readonly ids: readonly string[] },
): Promise<readonly Difference[]> {
  const { kubeconfig, cases, crds, folder, run, ids } = options;
  const report = join(folder, `${run}.json`);
  const only = `^(${ids.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;
  const script = join(import.meta.dirname, 'apiserver_cases.py');
  const args = [script, 'verify', '--kubeconfig', kubeconfig, '--cases', cases, '--crds', crds, '--run', run];
  args.push('--report', report, '--only', only, '--wait', '5');
  const child = spawn('python3', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  return JSON.parse(readFileSync(report, 'utf8')) as readonly Difference[];
}
