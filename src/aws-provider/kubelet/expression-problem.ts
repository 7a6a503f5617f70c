import { withFacts } from '../aws-api/with-facts.ts';
import { wrappedError } from '../aws-api/wrapped-error.ts';
import type { KubeletExpressions } from './expressions.ts';
import { isQuantity, type KubeletSettings } from './kubelet-settings.ts';

/** Why one of the settings is no expression, though it looks like one; undefined when all of them are. */
export function expressionProblem(settings: KubeletSettings, expressions: KubeletExpressions): string | undefined {
  for (const [field, expression] of expressionsOf(settings)) {
    try {
      expressions.compile(expression);
    } catch (error) {
      return withFacts(wrappedError('validating expression', error).message, { field: `spec.kubelet.${field}` });
    }
  }
  return undefined;
}

function expressionsOf({ maxPods, ...settings }: KubeletSettings): readonly (readonly [field: string, text: string])[] {
  const reserved = (['kubeReserved', 'systemReserved'] as const).flatMap((field) =>
    Object.entries(settings[field] ?? {}).map(([key, value]) => [`${field}[${key}]`, value] as const),
  );
  const maybe = reserved.filter(([, value]) => !isQuantity(value));
  return typeof maxPods === 'string' ? [['maxPods', maxPods], ...maybe] : maybe;
}
