import { combinedError } from './combined-error.ts';

/**
 * Does the work for every item, for at most `limit` of them at the same time; those that fail don't keep it from the others.
 *
 * @throws what all failures say together.
 */
export async function inParallel<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  const error = combinedError(errors);
  if (error !== undefined) throw error;
}
