/** The words that `kubectl_complete-karpenter` answers: no framework, so that Tab feels instant. */
import { commands } from '../commands/index.ts';
import { completions } from '../src/cli/completion.ts';

const result = await completions(process.argv.slice(2), commands);
process.stdout.write(result);
