/** Epoch milliseconds as metav1.Time travels: whole seconds. */
export function rfc3339(epoch: number): string {
  return `${new Date(Math.floor(epoch / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Epoch milliseconds as metav1.MicroTime travels. */
export function rfc3339Micro(epoch: number): string {
  return new Date(epoch).toISOString().replace('Z', '000Z');
}
