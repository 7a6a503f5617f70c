/** A question of users, and the command that answers it on the saved example cluster. */
export interface Answer {
  /** What people ask, in their words. */
  readonly ask: string;
  /** What to see in the output. */
  readonly answer: string;
  readonly args: string;
}
