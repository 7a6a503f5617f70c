import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const MOTO = '5.2.5';

/** A Python that has moto: made once, outside the work tree, from PyPI. */
export async function motoPython(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-karpenter', 'moto');
  const folder = join(cache, MOTO);
  const python = join(folder, 'bin', 'python');
  if (await exists(join(folder, '.complete'))) return python;
  console.error(`installing moto ${MOTO} from PyPI…`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await execa('python3', ['-m', 'venv', folder]);
  await execa(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `moto[server]==${MOTO}`]);
  await execa('touch', [join(folder, '.complete.part')]);
  await rename(join(folder, '.complete.part'), join(folder, '.complete'));
  return python;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
