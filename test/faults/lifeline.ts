/**
 * The life of one controller process. Once it has ended, nothing that was asked is ever answered and nothing more is
 * asked, as after SIGKILL: what had been sent by then is done all the same.
 */
export class Lifeline {
  readonly #onDeath: () => void;
  #dead = false;
  #writesLeft = Number.POSITIVE_INFINITY;

  constructor(onDeath: () => void) {
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** Ends the process now. */
  end(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#onDeath();
  }

  /** Ends it once so many more writes are done. */
  endAfterWrites(writes: number): void {
    this.#writesLeft = writes;
  }

  /** A call of the process to the outside. */
  async through<T>(call: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (this.#dead) return await never();
    const isLast = isWrite && --this.#writesLeft <= 0;
    try {
      const answer = await call();
      if (!this.#dead && !isLast) return answer;
    } catch (error) {
      if (!this.#dead && !isLast) throw error;
    }
    this.end();
    return await never();
  }
}

const never = <T>(): Promise<T> => new Promise(() => {});
