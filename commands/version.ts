import { Flags } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.ts';
import { outputFlag } from '../src/cli/flags/output-flags.ts';
import { printReport, REPORT_API_VERSION } from '../src/cli/report.ts';
import { KUBERNETES_VERSION, UPSTREAM_VERSION } from '../src/cli/version.ts';

export default class Version extends BaseCommand {
  static override summary = 'versions of the plugin, of Karpenter and of the server';
  static override usage = 'version [flags]';
  static override examples = ['{bin} version --client', '{bin} version -o json'];
  static override flags = {
    client: Flags.boolean({ description: 'leave the server out' }),
    output: outputFlag(),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Version);
    const report = {
      apiVersion: REPORT_API_VERSION,
      kind: 'VersionReport',
      client: this.config.version,
      karpenter: UPSTREAM_VERSION,
      kubernetes: KUBERNETES_VERSION,
      node: process.version,
    };
    if (flags.output === 'json' || flags.output === 'yaml') return printReport(report, flags.output, this.io);
    this.print(
      `kubectl-karpenter: v${report.client}\nKarpenter: ${report.karpenter}\nEmbedded Kubernetes: ${report.kubernetes}\nNode.js: ${report.node}\n`,
    );
  }
}
