import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Setup } from './controllers.ts';

const FILE = join(import.meta.dirname, 'reference.json');
/** Specs below this run in CI; seconds. */
const FAST = 41;
/** More than any spec takes, in seconds. */
const UNKNOWN = 3600;

/** What a spec gave when it was last recorded. */
export interface Measured {
  readonly passed: boolean;
  readonly seconds: number;
}

export type Reference = Readonly<Record<string, Partial<Record<Setup, Measured>>>>;

/** Recorded results by title; empty before the first recording. */
export async function readReference(): Promise<Reference> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Reference;
}

/** Adds results to what is recorded, in the suite's order; specs that are no more are forgotten. Resolves to the sum. */
export async function record(
  setup: Setup,
  results: ReadonlyMap<string, Measured>,
  allSpecs: readonly string[],
): Promise<Reference> {
  const before = await readReference();
  const entries = allSpecs.map((spec) => {
    const result = results.get(spec);
    if (!result) return [spec, before[spec] ?? {}] as const;
    const seconds = Math.round(result.seconds * 10) / 10;
    return [spec, { ...before[spec], [setup]: { passed: result.passed, seconds } }] as const;
  });
  const after = Object.fromEntries(entries);
  await writeFile(FILE, `${JSON.stringify(after, null, 2)}\n`);
  return after;
}

/** How long a spec is expected to take, in seconds. One that was never measured may take long. */
export function expectedSeconds(spec: string, reference: Reference, setup: Setup): number {
  const { [setup]: own, ours, upstream } = reference[spec] ?? {};
  return (own ?? ours ?? upstream)?.seconds ?? UNKNOWN;
}

/** Whether a spec is quick enough with our controller to run each time. */
export const isFast = (spec: string, reference: Reference): boolean => expectedSeconds(spec, reference, 'ours') < FAST;
