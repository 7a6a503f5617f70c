import type { FieldError, JsonObject } from '../../kind.ts';
import type { ExpressionChecker } from '../expression-checker.ts';
import type { Check } from '../names.ts';

/** What is particular about a built-in kind; metadata is validated for all kinds alike. */
export interface Particulars {
  /** Which names its objects may have; a DNS subdomain where it says nothing. */
  readonly name?: Check;
  /** Everything about a new object. */
  readonly create?: (object: JsonObject) => readonly FieldError[];
  /** About an update; without it, what `create` says of the new object. */
  readonly update?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** About a write of the status; without it, nothing. */
  readonly status?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** About writes of other subresources; without one, nothing. */
  readonly parts?: Readonly<Record<string, (object: JsonObject, old: JsonObject) => readonly FieldError[]>>;
  /** Whether the kind's metadata isn't validated at all. */
  readonly withoutMeta?: boolean;
  /** What looks at CEL expressions, out of what checks those. It stands in for `create`, and for `update` unless there is one. */
  readonly expressions?: (checker: ExpressionChecker) => Pick<Particulars, 'create' | 'update'>;
  readonly warnings?: (object: JsonObject) => readonly string[];
}
