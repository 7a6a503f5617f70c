import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { kubeconfigPaths } from '../../kube/kubeconfig.ts';

/** The kubeconfig files that kubectl would read with this flag and environment, as absolute paths. */
export function kubeconfigFiles(
  explicit: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const fallback = join(env.HOME || homedir(), '.kube', 'config');
  const paths = kubeconfigPaths(
    { fallback, ...(explicit ? { explicit } : {}), ...(env.KUBECONFIG ? { env: env.KUBECONFIG } : {}) },
    delimiter === ';' ? ';' : ':',
  );
  return paths.map((path) => resolve(path));
}
