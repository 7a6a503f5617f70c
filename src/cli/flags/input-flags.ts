import { Flags } from '@oclif/core';
import { readCatalogueFlags } from './catalogue-flags.ts';

/** Where a command reads the cluster from: without `--from`, from the API of the current context. */
export const inputFlags = {
  from: Flags.string({
    description: 'read objects from a file, a folder or - instead of a cluster (repeatable)',
    helpValue: 'PATH',
    multiple: true,
    multipleNonGreedy: true,
  }),
  ...readCatalogueFlags,
  'feature-gates': Flags.string({
    description: 'gates of the controller, for example NodeOverlay=true',
    helpValue: 'LIST',
  }),
  'preference-policy': Flags.option({
    description: "the controller's option: Respect (default) or Ignore soft rules",
    options: ['Respect', 'Ignore'] as const,
    helpValue: 'POLICY',
  })(),
  'min-values-policy': Flags.option({
    description: "the controller's option: Strict (default), or BestEffort for minValues that can't be had",
    options: ['Strict', 'BestEffort'] as const,
    helpValue: 'POLICY',
  })(),
  now: Flags.string({ description: 'the time to reckon with, RFC 3339', helpValue: 'TIME' }),
};
