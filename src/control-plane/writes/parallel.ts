/** Writes that run at the same time, at most. */
const DEFAULT_LIMIT = 64;

/** Runs `work` on all items, so many at a time; rejects with the first error after all have ended. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  limit = DEFAULT_LIMIT,
): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}

/**
 * Runs `work` on all items in batches that double from one; after a batch with an error no further one starts, and the
 * first error is thrown. So a quota that refuses everything is asked once and not 500 times.
 */
export async function slowStart<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let start = 0;
  for (let size = 1; start < items.length; size *= 2) {
    await inParallel(items.slice(start, start + size), work);
    start += size;
  }
}
