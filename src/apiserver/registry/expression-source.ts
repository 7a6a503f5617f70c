import type { CelLoader } from '../crd/cel/cel-engine.ts';
import type { ExpressionChecker } from '../validation/expression-checker.ts';

/** Loads what checks expressions when the first object that has any is about to be written. */
export class ExpressionSource {
  readonly #cel: CelLoader;
  #checker: ExpressionChecker | undefined;

  constructor(cel: CelLoader) {
    this.#cel = cel;
  }

  async load(): Promise<void> {
    if (this.#checker !== undefined) return;
    const engine = await this.#cel.load();
    const { ExpressionChecks } = await import('../admission/cel/expression-checks.ts');
    this.#checker = new ExpressionChecks(engine);
  }

  /** Throws where `load` hasn't been awaited. */
  get checker(): ExpressionChecker {
    if (this.#checker === undefined) throw new Error('expressions were to be checked before load()');
    return this.#checker;
  }
}
