const DAY = 86_400_000;

/** The zone is none that the runtime's time zone database knows. */
export class UnknownTimeZoneError extends Error {
  override readonly name = 'UnknownTimeZoneError';
}

/** Wall clocks of one IANA zone. Everything is epoch milliseconds; a wall time is written as if it were UTC. */
export interface TimeZone {
  readonly name: string;
  /** What to add to UTC to get the wall time at that instant. */
  offsetAt(epoch: number): number;
  /** The instants that show this wall time: none in a gap, two where clocks are set back, else one. */
  instantsOf(wall: number): readonly number[];
}

const UTC: TimeZone = { name: 'UTC', offsetAt: () => 0, instantsOf: (wall) => [wall] };

/** Throws `UnknownTimeZoneError`. `''` and `UTC` are UTC; `Local` is refused, as the API refuses it. */
export function timeZone(name: string): TimeZone {
  if (name === '' || name === 'UTC' || name === 'Etc/UTC') return UTC;
  const format = formatOf(name);
  const offsetAt = (epoch: number): number => wallAt(format, epoch) - Math.floor(epoch / 1000) * 1000;
  return {
    name,
    offsetAt,
    instantsOf(wall) {
      const before = offsetAt(wall - DAY);
      const after = offsetAt(wall + DAY);
      if (before === after) return [wall - before];
      // The larger offset gives the earlier instant.
      return [Math.max(before, after), Math.min(before, after)]
        .map((offset) => wall - offset)
        .filter((instant) => instant + offsetAt(instant) === wall);
    },
  };
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new UnknownTimeZoneError(`unknown time zone ${name}`);
  }
}

function wallAt(format: Intl.DateTimeFormat, epoch: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(epoch)) part[type] = Number(value);
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second);
}
