/** The words that `kubectl_complete-karpenter` answers: no framework, so that Tab feels instant. */
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { commands } from '../commands/index.ts';
import { completions } from '../src/cli/completion.ts';
import type { NameKind } from '../src/cli/live-names.ts';

enableCompileCache(join(dirname(import.meta.dirname), 'dist', '.compile-cache'));
const words = process.argv.slice(2);

/** The value of a connection flag that was typed already. */
function typed(flag: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const index = words.indexOf(flag);
  return joined ?? (index >= 0 && index < words.length - 1 ? words[index + 1] : undefined);
}

async function names(kind: NameKind): Promise<readonly string[]> {
  const [{ liveNames }, { RealClock }] = await Promise.all([
    import('../src/cli/live-names.ts'),
    import('../src/operator/clock.ts'),
  ]);
  const flags = { context: typed('--context'), kubeconfig: typed('--kubeconfig') };
  return liveNames(kind, { flags, env: process.env, clock: new RealClock() });
}

process.stdout.write(await completions(words, { commands, names }));
