import { join } from 'node:path';
import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import { NodePools } from '../../src/kube/resources.ts';
import { connect } from './connect.ts';
import { retried } from './control-plane.ts';
import { FEATURE_GATES } from './controllers.ts';
import { Program } from './process.ts';
import { LAUNCHER } from './programs.ts';
import type { StartCluster } from './runtimes.ts';

/**
 * A cluster of `up --local`, with our controller in it, emptied of the pool and the node class that it starts with: the specs
 * want none but their own.
 */
export const embeddedCluster: StartCluster = async (folder) => {
  const kubeconfig = join(folder, 'kubeconfig');
  const flags = ['--local', '--name', 'e2e', '--feature-gates', FEATURE_GATES, '--node-join-delay', '0s'];
  const program = new Program([LAUNCHER, 'up', ...flags], join(folder, 'up.log'), {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    KUBECONFIG: kubeconfig,
  });
  const failed = program.untilFailure();
  failed.catch(() => {});
  try {
    await Promise.race([emptied(kubeconfig), failed]);
    return {
      kubeconfig,
      controllerPid: program.pid,
      failed,
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
};

async function emptied(kubeconfig: string): Promise<void> {
  await retried('the embedded cluster', async () => {
    const client = await connect(kubeconfig);
    try {
      const name = 'default';
      await Promise.all([client.get(NodePools, { name }), client.get(KwokNodeClasses, { name })]);
      await Promise.all([client.delete(NodePools, { name }), client.delete(KwokNodeClasses, { name })]);
    } finally {
      await client.close();
    }
  });
}
