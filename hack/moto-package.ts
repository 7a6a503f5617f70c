import { join } from 'node:path';
import { pythonWith } from './python-packages.ts';

/**
 * Does the work with what moto carries.
 *
 * @param script in whose name to complain.
 * @param work is given the folder with EC2's answers; answers the exit status.
 * @returns the exit status. A package that can't be had only leaves a check out, except where CI=true.
 */
export function withMoto(script: string, isCheck: boolean, work: (resources: string) => number): number {
  const python = pythonWith('aws');
  if ('problem' in python) {
    console.error(`${script}: left out, for want of ${python.problem}`);
    return isCheck && process.env.CI !== 'true' ? 0 : 1;
  }
  return work(join(python.packages, 'moto', 'ec2', 'resources'));
}
