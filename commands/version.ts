import { Flags } from '@oclif/core';
import { outputFlag } from '../src/cli/flags/output-flags.ts';
import { REPORT_API_VERSION } from '../src/cli/report.ts';
import { KUBERNETES_VERSION, UPSTREAM_VERSION } from '../src/cli/version.ts';
import { WorldCommand } from './world-command.ts';

/** Milliseconds: whoever asks for versions doesn't want to wait for a cluster that is away. */
const SERVER_TIMEOUT = 3_000;

export default class Version extends WorldCommand {
  static override summary = 'versions of the plugin, of Karpenter and of the server';
  static override usage = 'version [flags]';
  static override examples = ['{bin} version --client', '{bin} version -o json'];
  static override flags = {
    client: Flags.boolean({ description: 'leave the server out' }),
    output: outputFlag(),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Version);
    const server = flags.client ? undefined : await this.serverVersion(flags);
    const report = {
      apiVersion: REPORT_API_VERSION,
      kind: 'VersionReport',
      client: this.config.version,
      karpenter: UPSTREAM_VERSION,
      kubernetes: KUBERNETES_VERSION,
      node: process.version,
      ...(server ? { server } : {}),
    };
    const lines = [
      `kubectl-karpenter: v${report.client}`,
      `Karpenter: ${report.karpenter}`,
      `Embedded Kubernetes: ${report.kubernetes}`,
      `Node.js: ${report.node}`,
      ...(server ? [`Server: ${server}`] : []),
    ];
    await this.answer(report, { ...flags, 'no-headers': false }, () => `${lines.join('\n')}\n`);
  }

  /** What the current cluster calls itself; undefined, with a line about it, when there is none or it doesn't say. */
  private async serverVersion(flags: Parameters<WorldCommand['connection']>[0]): Promise<string | undefined> {
    try {
      const { client } = await this.connection(flags);
      try {
        const signal = AbortSignal.any([this.signal, AbortSignal.timeout(SERVER_TIMEOUT)]);
        const { gitVersion } = JSON.parse(await client.raw('/version', signal)) as { readonly gitVersion?: string };
        return gitVersion;
      } finally {
        await client.close();
      }
    } catch (error) {
      this.signal.throwIfAborted();
      this.say(`no server version: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}
