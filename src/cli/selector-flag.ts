import { parseLabelSelector, SelectorError } from '../kube/selectors.ts';
import { UsageError } from './user-error.ts';

/** What `--selector` asks for; nothing when it isn't given. */
export function selectorFlag(text: string | undefined): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text ?? '');
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new UsageError(`--selector "${text}": ${error.message}`, { cause: error });
  }
}
