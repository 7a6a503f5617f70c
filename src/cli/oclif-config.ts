import { Config } from '@oclif/core';
import type { ProgramVersion } from './version.ts';

/** The configuration that oclif's commands need, made without reading any file. */
export function oclifConfig(root: string, bin: string, { version }: ProgramVersion): Promise<Config> {
  return Config.load({
    root,
    pjson: { name: 'kubectl-karpenter', version, oclif: { bin } },
    ignoreManifest: true,
    devPlugins: false,
    userPlugins: false,
  });
}
