import type { Logger } from '../../logging/logger.ts';
import { withFacts } from '../aws-api/with-facts.ts';
import { wrappedError } from '../aws-api/wrapped-error.ts';
import type { InstanceTypeVars, KubeletExpressions } from './expressions.ts';
import { isQuantity, type KubeletSettings } from './kubelet-settings.ts';

type Strings = Readonly<Record<string, string>>;

export interface ResolveDeps {
  readonly log: Logger;
  /** Undefined while the feature gate NodeClassCEL is off: then expressions count as if they were not there. */
  readonly expressions: KubeletExpressions | undefined;
}

/** The settings that depend on the instance type, as numbers and quantities. */
export interface ResolvedKubelet {
  readonly maxPods?: number;
  readonly kubeReserved?: Strings;
  readonly systemReserved?: Strings;
}

const MAX_INT32 = 2n ** 31n - 1n;
const MAX_INT64 = 2n ** 63n - 1n;

/** The text is no quantity, so it is an expression. */
const isExpression = (value: string): boolean => !isQuantity(value);

const hasExpression = (map: Strings | undefined): boolean => Object.values(map ?? {}).some(isExpression);

const hasReservedExpressions = ({ kubeReserved, systemReserved }: KubeletSettings): boolean =>
  hasExpression(kubeReserved) || hasExpression(systemReserved);

/** Whether some setting is to be computed for each instance type. */
export const hasExpressions = (settings: KubeletSettings): boolean =>
  typeof settings.maxPods === 'string' || hasReservedExpressions(settings);

/**
 * Computes the settings for one instance type, whose facts `varsFor` tells: for a given maxPods, or for none, when it
 * answers the usual density.
 *
 * @throws an error when the expression of maxPods fails, or gives no possible number.
 */
export function resolveKubelet(
  settings: KubeletSettings,
  varsFor: (maxPods: number | undefined) => InstanceTypeVars,
  deps: ResolveDeps,
): ResolvedKubelet {
  const maxPods = resolveMaxPods(settings.maxPods ?? undefined, () => varsFor(undefined), deps);
  const vars = (): InstanceTypeVars => varsFor(maxPods);
  const kubeReserved = resolveReserved(settings.kubeReserved ?? undefined, vars, deps);
  const systemReserved = resolveReserved(settings.systemReserved ?? undefined, vars, deps);
  return {
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(kubeReserved ? { kubeReserved } : {}),
    ...(systemReserved ? { systemReserved } : {}),
  };
}

function resolveMaxPods(
  setting: number | string | undefined,
  vars: () => InstanceTypeVars,
  { expressions }: ResolveDeps,
): number | undefined {
  if (typeof setting !== 'string') return setting;
  return expressions && evaluatedMaxPods(setting, vars(), expressions);
}

function evaluatedMaxPods(expression: string, vars: InstanceTypeVars, expressions: KubeletExpressions): number {
  const facts = { expression, 'instance-type': vars.instanceType };
  try {
    const result = expressions.evaluate(expression, vars);
    if (result >= 0n && result <= MAX_INT32) return Number(result);
    throw new RangeError(
      withFacts(`maxPods expression evaluated to a value outside the valid range [0, ${MAX_INT32}]`, {
        ...facts,
        result,
      }),
    );
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error(withFacts(wrappedError('evaluating maxPods expression', error).message, facts), { cause: error });
  }
}

/**
 * Reserved amounts by resource, all of them quantities. An expression that fails, or gives less than nothing, leaves its
 * resource out, which is logged; without the feature gate each expression does. `vars` is asked once at most.
 */
export function resolveReserved(
  reserved: Strings | undefined,
  vars: () => InstanceTypeVars,
  { log, expressions }: ResolveDeps,
): Strings | undefined {
  if (!hasExpression(reserved)) return reserved;
  const known = expressions && vars();
  const resolved: Record<string, string> = {};
  for (const [key, value] of Object.entries(reserved ?? {})) {
    if (isExpression(value)) {
      const amount = expressions && known && evaluatedReserved(key, value, known, expressions, log);
      if (amount !== undefined) resolved[key] = amount;
    } else resolved[key] = value;
  }
  return resolved;
}

function evaluatedReserved(
  key: string,
  expression: string,
  vars: InstanceTypeVars,
  expressions: KubeletExpressions,
  log: Logger,
): string | undefined {
  const facts = { key, expression, 'instance-type': vars.instanceType };
  try {
    const result = expressions.evaluate(expression, vars);
    if (result >= 0n) return reservedQuantity(key, result);
    const error = new Error('result is negative');
    log.error('kubelet resource expression evaluated to an invalid value', error, { ...facts, result: Number(result) });
  } catch (error) {
    log.error('failed to evaluate kubelet resource expression', error, {
      ...facts,
      vcpus: vars.vcpus,
      'memory-mib': vars.memoryMiB,
      'default-enis': vars.defaultENIs,
      'ips-per-eni': vars.ipsPerENI,
      'max-pods': vars.maxPods,
    });
  }
  return undefined;
}

/** A result in the unit of its resource. Coarse steps let instance types share launch templates. */
function reservedQuantity(resource: string, result: bigint): string {
  switch (resource) {
    case 'cpu':
      return `${roundedUp(result, 10n)}m`;
    case 'memory':
      return `${roundedUp(result, 16n)}Mi`;
    case 'ephemeral-storage':
      return `${result}Gi`;
    default:
      return `${result}`;
  }
}

/** The next multiple, unless that is beyond what Go counts to. */
function roundedUp(value: bigint, step: bigint): bigint {
  const rest = value % step;
  return rest === 0n || value > MAX_INT64 - step ? value : value - rest + step;
}

/**
 * Evaluates every expression for one instance type.
 *
 * @throws an error at the first that fails, or gives no possible number: nodes of that type could not be configured.
 */
export function tryExpressions(
  settings: KubeletSettings,
  varsFor: (maxPods: number | undefined) => InstanceTypeVars,
  expressions: KubeletExpressions,
): void {
  const { maxPods } = settings;
  const resolved = typeof maxPods === 'string' ? evaluatedMaxPods(maxPods, varsFor(undefined), expressions) : maxPods;
  if (!hasReservedExpressions(settings)) return;
  const vars = varsFor(resolved);
  for (const field of ['kubeReserved', 'systemReserved'] as const) {
    for (const [key, expression] of Object.entries(settings[field] ?? {})) {
      if (isExpression(expression)) tryReserved(field, key, expression, vars, expressions);
    }
  }
}

function tryReserved(
  field: string,
  key: string,
  expression: string,
  vars: InstanceTypeVars,
  expressions: KubeletExpressions,
): void {
  const facts = { field, key, expression, 'instance-type': vars.instanceType };
  let result: bigint;
  try {
    result = expressions.evaluate(expression, vars);
  } catch (error) {
    const { message } = wrappedError('evaluating kubelet resource expression', error);
    throw new Error(withFacts(message, facts), { cause: error });
  }
  if (result < 0n) {
    throw new Error(withFacts('kubelet resource expression evaluated to a negative value', { ...facts, result }));
  }
}
