import type { CommandTable } from '../src/cli/command-table.ts';

/** Every command, in the order of the help page. */
export const commands: CommandTable = {
  version: {
    group: 'Plugin',
    summary: 'versions of the plugin, of Karpenter and of the server',
    load: () => import('./version.ts'),
  },
};
