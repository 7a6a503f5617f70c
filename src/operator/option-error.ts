/** An option has a value that it can't have; the message is upstream's. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}
