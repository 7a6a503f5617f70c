import type { Comparison, Verdict } from './compare-world.ts';
import { LEVELS, type Level, type RandomWorld } from './random-world.ts';

/** What a run has compared, and what was in it. */
export class Tally {
  readonly verdicts: Record<Verdict, number> = { equal: 0, equivalent: 0, listed: 0, different: 0 };
  /** Equivalent decisions where upstream makes but one. */
  #besideSteady = 0;
  readonly #worlds = new Map<Level, number>();
  readonly #features = new Map<string, Map<Level, number>>();
  readonly #messages = { same: 0, all: 0 };
  /** So that a comparison of worlds in which nothing happens would show. */
  readonly #pods = { onNewNodes: 0, onExistingNodes: 0, unplaced: 0, rejected: 0 };

  add({ level, features }: RandomWorld, { verdict, ours, theirs, steady, rejections }: Comparison): void {
    this.verdicts[verdict]++;
    if (verdict === 'equivalent' && steady) this.#besideSteady++;
    this.#worlds.set(level, (this.#worlds.get(level) ?? 0) + 1);
    for (const feature of features) {
      const byLevel = this.#features.get(feature) ?? new Map<Level, number>();
      byLevel.set(level, (byLevel.get(level) ?? 0) + 1);
      this.#features.set(feature, byLevel);
    }
    for (const { pods } of ours.newNodeClaims) this.#pods.onNewNodes += pods.length;
    for (const placed of Object.values(ours.existingNodes)) this.#pods.onExistingNodes += placed.length;
    this.#pods.unplaced += ours.podErrors.length;
    this.#pods.rejected += Object.keys(rejections.ours).length;
    for (const [pod, text] of Object.entries(ours.messages)) {
      this.#compare(
        text,
        theirs.flatMap((decision) => decision.messages[pod] ?? []),
      );
    }
    for (const [pod, text] of Object.entries(rejections.ours)) {
      this.#compare(
        text,
        rejections.theirs.flatMap((rejected) => rejected[pod] ?? []),
      );
    }
  }

  /** A table of features and in how many worlds of each level they came, the rarest first. */
  features(): string {
    const levels = LEVELS.filter((level) => this.#worlds.has(level));
    const shares = [...this.#features].map(([feature, byLevel]) => {
      const percent = levels.map((level) => (100 * (byLevel.get(level) ?? 0)) / (this.#worlds.get(level) ?? 1));
      return { feature, percent, most: Math.max(...percent) };
    });
    shares.sort((a, b) => a.most - b.most || (a.feature < b.feature ? -1 : 1));
    const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
    return (
      row(['feature', ...levels.map((level) => `% of ${this.#worlds.get(level)} ${level}`)]) +
      row(['---', ...levels.map(() => '---:')]) +
      shares.map(({ feature, percent }) => row([feature, ...percent.map((p) => p.toFixed(1))])).join('')
    );
  }

  summary(): string {
    const { equal, equivalent, listed, different } = this.verdicts;
    const { onNewNodes, onExistingNodes, unplaced, rejected } = this.#pods;
    const all = equal + equivalent + listed + different;
    return [
      `compared ${all}, equal ${equal}, equivalent ${equivalent} (${this.#besideSteady} where upstream never varies), listed ${listed}, different ${different}`,
      `pods on new nodes ${onNewNodes}, on existing ones ${onExistingNodes}, unplaced ${unplaced}, rejected ${rejected}`,
      `errors in upstream's words ${this.#messages.same} of ${this.#messages.all}`,
    ].join('\n');
  }

  #compare(text: string, theirs: readonly string[]): void {
    if (theirs.length === 0) return;
    this.#messages.all++;
    if (theirs.includes(text)) this.#messages.same++;
  }
}
