import type { FieldError } from '../kind.ts';
import * as field from '../validation/field-error.ts';

/** One finding of OpenAPI validation, before it is placed under a parent path. */
export interface Finding {
  /** Identifies it: findings with the same text are reported once. */
  readonly text: string;
  /** Relative to the value that was validated; undefined where OpenAPI validation names no field. */
  readonly path: string | undefined;
  readonly toError: (path: string) => FieldError;
}

/**
 * What validating one value against one schema gave. `matches` counts the checks made, by which anyOf and oneOf choose the
 * alternative whose errors they report (kube-openapi's validate.Result).
 */
export class OpenApiResult {
  readonly findings: Finding[] = [];
  matches = 0;

  get valid(): boolean {
    return this.findings.length === 0;
  }

  add(finding: Finding): void {
    if (!this.findings.some((known) => known.text === finding.text)) this.findings.push(finding);
  }

  merge(other: OpenApiResult): void {
    for (const finding of other.findings) this.add(finding);
    this.matches += other.matches;
  }

  /** The findings become warnings that nobody reads; the count stays. */
  forgive(): void {
    this.findings.length = 0;
  }
}

/** A finding about `path` whose message is made by one of the field error constructors. */
export const finding = (path: string, text: string, toError: (path: string) => FieldError): Finding => ({
  text,
  path,
  toError,
});

/** A finding without a field of its own, such as a failed anyOf. */
export const looseFinding = (text: string): Finding => ({
  text,
  path: undefined,
  toError: (path) => field.invalid(path, '', text),
});

/** Places findings below `parent`, the path of the validated value in its object. */
export const toFieldErrors = (parent: string, result: OpenApiResult): readonly FieldError[] =>
  result.findings.map((item) => {
    const own = item.path?.replace(/^\./, '') ?? '';
    return item.toError(own === '' ? parent : field.child(parent, own));
  });
