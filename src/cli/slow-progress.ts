/** Says what is being done from the second on that it lasts, and at most once a second. */
export class SlowProgress {
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  #last: number;

  /** `now` in milliseconds. */
  constructor(say: (line: string) => void, now: () => number) {
    this.#say = say;
    this.#now = now;
    this.#last = now();
  }

  at(line: string): void {
    const now = this.#now();
    if (now - this.#last < 1000) return;
    this.#last = now;
    this.#say(line);
  }
}
