/** JSON of objects that never change, made once however often it is written, listed or watched. */
export class ObjectTexts {
  readonly #texts = new WeakMap<object, string>();

  /** The JSON of an object; remembered if the object is frozen. */
  of(object: object): string {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = JSON.stringify(object);
    if (Object.isFrozen(object)) this.#texts.set(object, text);
    return text;
  }

  /** Says what an object's JSON is, to whom it has just been parsed from. */
  remember(object: object, text: string): void {
    this.#texts.set(object, text);
  }
}
