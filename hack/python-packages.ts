/** What is taken from PyPI. Both sets are installed once, outside the work tree, for all that need some of it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Plays AWS, and carries what EC2 answers about instance types and where they are sold. */
export const MOTO = 'moto==5.2.5';

/** Takes a tenth of pip's time. */
const INSTALLER = 'uv==0.13.9';

const SETS = {
  aws: [MOTO.replace('==', '[server]=='), 'cfn-lint==1.58.0', 'parliament==1.6.4'],
  // Apart, for it wants a boto3 that is too old to know what moto is asked for.
  checkov: ['checkov==3.3.30'],
};

/** A Python with the packages of a set. */
export interface Python {
  /** Folder of the interpreter and of the packages' programs. */
  readonly bin: string;
  /** Folder of the packages themselves. */
  readonly packages: string;
}

/** Installs the set if it is not there yet; says why when it can't be had. */
export function pythonWith(set: keyof typeof SETS): Python | { readonly problem: string } {
  const wanted = SETS[set];
  const key = createHash('sha256')
    .update([INSTALLER, ...wanted].join(' '))
    .digest('hex')
    .slice(0, 12);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-karpenter', 'python');
  const folder = join(cache, `${set}-${key}`);
  const bin = join(folder, 'bin');
  const stamp = join(folder, '.complete');
  if (!existsSync(stamp)) {
    console.error(`installing ${wanted.join(', ')} from PyPI…`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    const problem =
      failureOf('python3', ['-m', 'venv', folder]) ??
      failureOf(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', INSTALLER]) ??
      failureOf(join(bin, 'uv'), ['pip', 'install', '--quiet', '--python', join(bin, 'python'), ...wanted]);
    if (problem !== undefined) return { problem: `${wanted.join(', ')}: ${problem}` };
    writeFileSync(stamp, '');
  }
  const [version = ''] = readdirSync(join(folder, 'lib'));
  return { bin, packages: join(folder, 'lib', version, 'site-packages') };
}

function failureOf(program: string, args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (error === undefined && status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `status ${status}`;
}
