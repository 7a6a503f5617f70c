import { writeFile } from 'node:fs/promises';
import { Flags } from '@oclif/core';
import { count } from '../src/cli/amounts.ts';
import { SNAPSHOT_RESOURCES } from '../src/cli/cluster/snapshot-resources.ts';
import { UserError } from '../src/cli/user-error.ts';
import { ApiError } from '../src/kube/errors.ts';
import type { KubeObject } from '../src/kube/objects.ts';
import { WorldCommand } from './world-command.ts';

export default class Snapshot extends WorldCommand {
  static override summary = 'save the objects of a cluster, for --from';
  static override description =
    `Writes the cluster's objects as a YAML stream that --from reads: everything that scheduling and disruption look at,
workloads and events. Secrets and ConfigMaps are never read.`;
  static override usage = 'snapshot [flags]';
  static override examples = ['{bin} snapshot > cluster.yaml', '{bin} snapshot -f cluster.yaml --context prod'];
  static override flags = {
    file: Flags.string({ char: 'f', description: 'write to this file instead of standard output', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Snapshot);
    const { client } = await this.connection(flags);
    try {
      const objects: KubeObject[] = [];
      for (const resource of SNAPSHOT_RESOURCES) {
        try {
          objects.push(...(await client.list(resource, {}, this.signal)).items);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.code !== 404) this.say(`left out ${resource.plural}: ${error.message}`);
        }
      }
      const { stringify } = await import('yaml');
      const text = objects
        .map((object) => `---\n${stringify(withoutManagedFields(object), { lineWidth: 0 })}`)
        .join('');
      if (flags.file) await this.save(flags.file, text);
      else this.print(text);
      if (!flags.quiet) this.say(`saved ${count(objects.length, 'object')}`);
    } finally {
      await client.close();
    }
  }

  private async save(file: string, text: string): Promise<void> {
    try {
      await writeFile(file, text);
    } catch (error) {
      throw new UserError(`${file} can't be written`, {
        code: 'KE1102',
        because: [(error as Error).message],
        cause: error,
      });
    }
  }
}

function withoutManagedFields({ metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  const { apiVersion, kind, ...body } = rest;
  return { ...(apiVersion ? { apiVersion } : {}), ...(kind ? { kind } : {}), metadata: kept, ...body };
}
