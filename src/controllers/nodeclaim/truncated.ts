const LONGEST = 300;

/** Cut to what fits into a condition or an event. */
export const truncated = (message: string): string =>
  message.length < LONGEST ? message : `${message.slice(0, LONGEST)}...`;
