/** What Go's time.Parse says about a text it can't read. */
export class GoTimeError extends Error {
  override readonly name = 'GoTimeError';
}

interface Step {
  readonly layout: string;
  readonly digits?: number;
}

const STEPS: readonly Step[] = [
  { layout: '2006', digits: 4 },
  { layout: '-' },
  { layout: '01', digits: 2 },
  { layout: '-' },
  { layout: '02', digits: 2 },
  { layout: 'T' },
  { layout: '15', digits: 2 },
  { layout: ':' },
  { layout: '04', digits: 2 },
  { layout: ':' },
  { layout: '05', digits: 2 },
];
const LAYOUTS = { seconds: '2006-01-02T15:04:05Z07:00', micros: '2006-01-02T15:04:05.000000Z07:00' } as const;
const ZONE = /^(?:Z|([+-])(\d\d):(\d\d))/;
const SHORT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{6})?Z$/;
/** Go's zero time, which Kubernetes writes as null. */
const ZERO = /^0001-01-01T00:00:00(\.0+)?Z$/;

/**
 * Reads a metav1.Time (`seconds`, RFC 3339 with any fraction) or MicroTime (`micros`, exactly six digits of fraction) and
 * writes it as Kubernetes does: in UTC, cut to that precision; null for Go's zero time.
 *
 * @throws {GoTimeError} in the words of Go's time.Parse.
 */
export function canonicalTime(text: string, precision: 'seconds' | 'micros'): string | null {
  const fast = SHORT.exec(text);
  if (fast !== null && (fast[7] !== undefined) === (precision === 'micros') && inRange(fast.slice(1, 7).map(Number))) {
    return ZERO.test(text) ? null : text;
  }
  const layout = LAYOUTS[precision];
  const refuse = (rest: string, element: string): never => {
    throw new GoTimeError(
      `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as "${element}"`,
    );
  };
  let rest = text;
  const numbers: number[] = [];
  for (const { layout: element, digits } of STEPS) {
    const matches = digits === undefined ? rest.startsWith(element) : new RegExp(`^\\d{${digits}}`).test(rest);
    if (!matches) refuse(rest, element);
    if (digits !== undefined) numbers.push(Number(rest.slice(0, digits)));
    rest = rest.slice(digits ?? 1);
  }
  let fraction = '';
  if (precision === 'micros') {
    if (!/^\.\d{6}/.test(rest)) refuse(rest, '.000000');
    fraction = rest.slice(1, 7);
    rest = rest.slice(7);
  } else {
    rest = rest.replace(/^[.,]\d+/, '');
  }
  const zone = ZONE.exec(rest) ?? refuse(rest, 'Z07:00');
  rest = rest.slice(zone[0].length);
  if (rest !== '') throw new GoTimeError(`parsing time ${quote(text)}: extra text: ${quote(rest)}`);
  checkRange(text, numbers);
  return format(numbers, zone, fraction);
}

function format(numbers: readonly number[], zone: RegExpExecArray, fraction: string): string | null {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  const offset = (Number(zone[2] ?? 0) * 60 + Number(zone[3] ?? 0)) * (zone[1] === '-' ? -1 : 1);
  const shifted = new Date(date.getTime() - offset * 60_000).toISOString().slice(0, 19);
  const result = fraction === '' ? `${shifted}Z` : `${shifted}.${fraction}Z`;
  return ZERO.test(result) ? null : result;
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

function inRange([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]): boolean {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  return day <= 28 || day <= daysIn(year, month);
}

function checkRange(text: string, numbers: readonly number[]): void {
  if (inRange(numbers)) return;
  const [, month = 0, , hour = 0, minute = 0, second = 0] = numbers;
  const parts: readonly (readonly [boolean, string])[] = [
    [month < 1 || month > 12, 'month'],
    [hour > 23, 'hour'],
    [minute > 59, 'minute'],
    [second > 59, 'second'],
  ];
  const part = parts.find(([wrong]) => wrong)?.[1] ?? 'day';
  throw new GoTimeError(`parsing time ${quote(text)}: ${part} out of range`);
}

const quote = (text: string): string => JSON.stringify(text);
