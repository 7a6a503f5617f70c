/** What a check came to. Only `fail` keeps the controller from its work. */
export type Verdict = 'pass' | 'warn' | 'fail' | 'skipped';

/** One thing that was looked at. */
export interface Finding {
  /** The head that it is told under, when that is not the one of its check. */
  readonly area?: string;
  /** What was looked at, in a word or two: `Node.js`, `ec2:RunInstances`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, in one line. */
  readonly message: string;
  /** More of it, one thing a line. */
  readonly details?: readonly string[];
  /** What would mend it: commands and edits. */
  readonly fix?: readonly string[];
  /** For a permission that is missing: the statements that would grant it, by their id in `DoctorReport.statements`. */
  readonly grantedBy?: readonly string[];
}

type More = Partial<Pick<Finding, 'area' | 'details' | 'fix' | 'grantedBy'>>;
type Make = (check: string, message: string, more?: More) => Finding;

const make =
  (verdict: Verdict): Make =>
  (check, message, more = {}) => ({ check, verdict, message, ...more });

export const pass = make('pass');
export const warn = make('warn');
export const fail = make('fail');
export const skipped = make('skipped');
