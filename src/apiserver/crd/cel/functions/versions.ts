import type { Environment } from '@marcbachmann/cel-js';
import { CelValueError } from '../cel-value-error.ts';

/** A semantic version as a CEL value (apiserver cel/library/semverlib.go). */
class CelSemver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[]) {
    this.numbers = numbers;
    this.pre = pre;
  }
}

const NUMBER = '(0|[1-9][0-9]*)';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`);

/** Drops a leading `v` and leading zeros, and completes what has fewer than three parts. */
const normalize = (text: string): string => {
  const parts = text.replace(/^v/, '').split('.');
  const [major = '', minor = '0', ...rest] = parts;
  const stripped = [major, minor, rest.length === 0 ? '0' : rest.join('.')].map((part) =>
    part.replace(/^0+(?=[0-9])/, ''),
  );
  return stripped.join('.');
};

const parse = (text: string): CelSemver | undefined => {
  const parts = SEMVER.exec(text);
  if (parts === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', pre] = parts;
  const identifiers = pre === undefined ? [] : pre.split('.');
  if (identifiers.some((part) => /^0[0-9]+$/.test(part))) return undefined;
  return new CelSemver([BigInt(major), BigInt(minor), BigInt(patch)], identifiers);
};

const read = (text: string, lenient = false): CelSemver => {
  const version = parse(lenient ? normalize(text) : text);
  if (version !== undefined) return version;
  const words = text === '' ? 'Version string empty' : 'No Major.Minor.Patch elements found';
  throw new CelValueError(words);
};

const compareIdentifiers = (left: string, right: string): number => {
  const numeric = [left, right].map((part) => /^[0-9]+$/.test(part));
  if (numeric[0] === true && numeric[1] === true) return Math.sign(Number(left) - Number(right));
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1;
  return left === right ? 0 : left < right ? -1 : 1;
};

const comparePre = (left: readonly string[], right: readonly string[]): number => {
  if (left.length === 0 || right.length === 0) return Math.sign(right.length - left.length);
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const order = compareIdentifiers(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
};

const compare = (left: CelSemver, right: CelSemver): number => {
  for (const at of [0, 1, 2] as const) {
    const [a, b] = [left.numbers[at], right.numbers[at]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return comparePre(left.pre, right.pre);
};

export const registerVersions = (env: Environment): void => {
  env.registerType('kubernetes.Semver', { ctor: CelSemver, fields: {} });
  env.registerFunction('semver(string): kubernetes.Semver', (text: string) => read(text));
  env.registerFunction('semver(string, bool): kubernetes.Semver', read);
  env.registerFunction('isSemver(string): bool', (text: string) => parse(text) !== undefined);
  env.registerFunction(
    'isSemver(string, bool): bool',
    (text: string, lenient: boolean) => parse(lenient ? normalize(text) : text) !== undefined,
  );
  env.registerFunction(
    'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool',
    (a: CelSemver, b: CelSemver) => compare(a, b) > 0,
  );
  env.registerFunction(
    'kubernetes.Semver.isLessThan(kubernetes.Semver): bool',
    (a: CelSemver, b: CelSemver) => compare(a, b) < 0,
  );
  env.registerFunction('kubernetes.Semver.compareTo(kubernetes.Semver): int', (a: CelSemver, b: CelSemver) =>
    BigInt(compare(a, b)),
  );
  env.registerOperator('kubernetes.Semver == kubernetes.Semver', (a: CelSemver, b: CelSemver) => compare(a, b) === 0);
  for (const [at, name] of (['major', 'minor', 'patch'] as const).entries()) {
    env.registerFunction(`kubernetes.Semver.${name}(): int`, (version: CelSemver) => version.numbers[at as 0 | 1 | 2]);
  }
};
