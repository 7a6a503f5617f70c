/** Numbers for people. Reports in JSON keep Kubernetes quantities instead. */
import { monthly } from '../explain/monthly.ts';

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/** Thousandths of a resource's unit, rounded to three digits: cpu as cores, memory in binary units. */
export function formatAmount(resource: string, milli: number): string {
  if (resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')) {
    return formatBytes(milli / 1000);
  }
  const value = milli / 1000;
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}

function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (Math.abs(value) >= 1024 && step < BINARY.length - 1) {
    value /= 1024;
    step++;
  }
  return `${Number(value.toPrecision(3))}${BINARY[step]}`;
}

/** Dollars an hour: four digits after the point below one dollar, two above. */
export function formatHourly(price: number): string {
  return `$${price !== 0 && Math.abs(price) < 1 ? price.toFixed(4) : price.toFixed(2)}/h`;
}

/** The same price for a month of 730 hours. */
export function formatMonthly(hourly: number): string {
  return `$${monthly(hourly).toFixed(2)}/month`;
}

export function formatPercent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((part / whole) * 100)}%` : '-';
}

/** `1 node`, `2 nodes`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
