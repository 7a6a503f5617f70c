/** The revision asked for is no longer in the event ring. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  readonly requested: number;
  readonly current: number;
  readonly floor: number;
  constructor(requested: number, current: number, floor: number) {
    super(`revision ${requested} is older than ${floor}`);
    this.requested = requested;
    this.current = current;
    this.floor = floor;
  }
}

/** The state file can't be read as a store's: damaged, or something else altogether. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
  readonly path: string;
  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path}: ${why}`, options);
    this.path = path;
  }
}

/** Writing to the state file failed: nothing is acknowledged any more. */
export class StoreFailedError extends Error {
  override readonly name = 'StoreFailedError';
}
