/** Epoch milliseconds as metav1.Time travels: RFC 3339 in UTC, whole seconds. */
export const formatTimestamp = (ms: number): string =>
  new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');

/** Epoch milliseconds as metav1.MicroTime travels: six decimals. */
export const formatMicroTimestamp = (ms: number): string => new Date(ms).toISOString().replace(/Z$/, '000Z');
