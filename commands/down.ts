import { Flags } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.ts';
import { kubeconfigFiles } from '../src/cli/cluster/kubeconfig-sources.ts';
import { contextName } from '../src/cli/local-cluster/context-name.ts';
import { StateFolder } from '../src/cli/local-cluster/state-folder.ts';
import { stopProcess } from '../src/cli/local-cluster/stop-process.ts';
import { removeContext } from '../src/kube/kubeconfig-file.ts';
import { RealClock } from '../src/operator/clock.ts';

export default class Down extends BaseCommand {
  static override summary = 'stop a local cluster and remove its state and its context';
  static override description =
    `Stops a local cluster and removes every trace of it: its processes, its state folder, and its kubeconfig context.
It may be repeated: what is gone already is no error.`;
  static override usage = 'down [flags]';
  static override examples = ['{bin} down', '{bin} down --name second'];
  static override flags = {
    name: Flags.string({ description: 'name of the cluster', helpValue: 'NAME', default: 'local' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Down);
    const clock = new RealClock();
    const folder = new StateFolder(flags.name, this.io.env);
    const steps = this.steps(flags);
    const record = await folder.readRecord();
    const owner = await folder.owner();
    if (owner !== undefined) {
      const isRunning = async () => (await folder.owner()) === owner;
      await steps.step('stop', () => stopProcess({ pid: owner, isRunning, clock }));
    }
    const files = record ? [record.kubeconfig] : kubeconfigFiles(flags.kubeconfig, this.io.env);
    const name = contextName(flags.name);
    const removed = await removeContext(files, name, {
      clock,
      ...(record?.previousContext ? { fallbackContext: record.previousContext } : {}),
    });
    const existed = await folder.exists();
    await folder.remove();
    const gone = [removed.length > 0 ? `context ${name}` : '', existed ? folder.path : ''].filter(Boolean);
    this.say(gone.length > 0 ? `removed ${gone.join(' and ')}` : `no cluster "${flags.name}": nothing to do`);
  }
}
