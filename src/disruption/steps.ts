/** Long work in pieces: it yields where whoever does it may let other work go first. */
export type Steps<T> = Generator<undefined, T>;

/** Also for work that is done at once. */
export function* stepsOf<T extends object>(work: T | Steps<T>): Steps<T> {
  return Symbol.iterator in work ? yield* work : work;
}

export function toTheEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
