import { asObjects, asString } from '../../json.ts';
import type { Json } from '../../kind.ts';
import { type Activation, evaluate, type Outcome } from './activation.ts';
import type { AdmissionCompiler, CompiledExpression, Declared } from './admission-compiler.ts';
import { ExpressionSet } from './expression-set.ts';

/** Whether all match conditions hold; `error` where that can't be told and nothing says no. */
export type Match = { readonly matches: boolean } | { readonly error: string };

/** Compiles stored match conditions. */
export const compileConditions = (
  compiler: AdmissionCompiler,
  conditions: Json | undefined,
  declared: Declared,
): readonly CompiledExpression[] => {
  const set = new ExpressionSet(compiler, declared, false);
  return asObjects(conditions).map(({ expression }) => set.stored(asString(expression).trim(), ['bool']));
};

/** A condition that is false decides; failures count only where none is (apiserver webhook/matchconditions). */
export const matchConditions = (conditions: readonly CompiledExpression[], activation: Activation): Match => {
  const outcomes: readonly Outcome[] = conditions.map((condition) => evaluate(condition, activation));
  if (outcomes.some((outcome) => 'value' in outcome && outcome.value === false)) return { matches: false };
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? errors.join() : `[${errors.join(', ')}]` };
};
