import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

/** The plugin's launcher, which builds the bundle first when a source is newer. */
export const LAUNCHER = join(root, 'bin', 'kubectl-karpenter');

/** Where the programs of each Go module are. */
export interface Programs {
  readonly etcd: string;
  /** Folder of kube-apiserver, kube-controller-manager and kube-scheduler. */
  readonly kubernetes: string;
  readonly kwok: string;
  /** Upstream's controller with its kwok provider. */
  readonly upstream: string;
  /** Upstream's end-to-end suite. */
  readonly suite: string;
}

/** Builds what is not built yet; minutes for the first time. Throws when there is no Go. */
export async function buildPrograms(): Promise<Programs> {
  const folder = async (module: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(join(root, 'hack', 'go-tool'), [module]);
    return stdout.trim();
  };
  const karpenter = await folder('karpenter');
  const kubernetes = await folder('kubernetes');
  return {
    etcd: join(await folder('etcd'), 'server'),
    kubernetes,
    kwok: join(await folder('kwok'), 'kwok'),
    upstream: join(karpenter, 'kwok'),
    suite: join(karpenter, 'regression.test'),
  };
}
