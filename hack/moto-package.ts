import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The Python package that carries what EC2 answers about instance types and where they are sold. */
export const MOTO = 'moto==5.2.5';

/**
 * Has pip unpack the package, does the work and removes it again.
 *
 * @param script in whose name to complain.
 * @param work is given the folder with EC2's answers; answers the exit status.
 * @returns the exit status. A package that can't be had only leaves a check out, except where CI=true.
 */
export function withMoto(script: string, isCheck: boolean, work: (resources: string) => number): number {
  const folder = mkdtempSync(join(tmpdir(), 'moto-'));
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', '--target', folder];
    const { error, status, stderr } = spawnSync('python3', [...pip, MOTO], { encoding: 'utf8' });
    if (error !== undefined || status !== 0) {
      console.error(`${script}: left out, pip can't install ${MOTO} (${error?.message ?? stderr.trim()})`);
      return isCheck && process.env.CI !== 'true' ? 0 : 1;
    }
    return work(join(folder, 'moto', 'ec2', 'resources'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
