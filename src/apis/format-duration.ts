/** Milliseconds as Go prints a time.Duration: `1h0m0s`, `1m30s`, `1.5s`, `20ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const value = Math.abs(ms);
  if (value < 1e-3) return `${sign}${trim(value * 1e6)}ns`;
  if (value < 1) return `${sign}${trim(value * 1e3)}µs`;
  if (value < 1000) return `${sign}${trim(value)}ms`;
  const hours = Math.floor(value / 3_600_000);
  const minutes = Math.floor((value % 3_600_000) / 60_000);
  const seconds = `${trim((value % 60_000) / 1000)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

const trim = (value: number): string => String(Number(value.toFixed(9)));
