const HOURS_PER_MONTH = 730;

/** Dollars a month of dollars an hour. */
export function monthly(hourly: number): number {
  return hourly * HOURS_PER_MONTH;
}
