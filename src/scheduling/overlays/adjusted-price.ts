/**
 * The price with a change made to it: `+1.5` and `-0.2` add, `+10%` and `-15%` scale, and a plain number replaces. A price
 * never becomes negative (karpenter-core.md 4.12.6).
 *
 * @param change in the form that the overlay's schema allows.
 */
export function adjustedPrice(price: number, change: string): number {
  if (!/^[+-]/.test(change)) return Number(change);
  const adjusted = change.endsWith('%') ? price * (1 + Number(change.slice(0, -1)) / 100) : price + Number(change);
  return Math.max(adjusted, 0);
}
