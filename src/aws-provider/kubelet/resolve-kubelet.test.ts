import { beforeAll, describe, expect, test } from 'vitest';
import type { Logger } from '../../logging/logger.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { expressionProblem } from './expression-problem.ts';
import { type InstanceTypeVars, KubeletExpressions } from './expressions.ts';
import type { KubeletSettings } from './kubelet-settings.ts';
import { hasExpressions, resolveKubelet, resolveReserved, tryExpressions } from './resolve-kubelet.ts';

const m5: InstanceTypeVars = {
  vcpus: 2,
  memoryMiB: 8192,
  defaultENIs: 3,
  ipsPerENI: 10,
  maxPods: 29,
  instanceType: 'm5.large',
};

let expressions: KubeletExpressions;
beforeAll(async () => {
  expressions = await KubeletExpressions.load(new VirtualClock());
});

interface Line {
  readonly message: string;
  readonly error: string;
  readonly fields: unknown;
}

function resolve(settings: KubeletSettings, gate = true) {
  const lines: Line[] = [];
  const log: Logger = {
    debug() {},
    info() {},
    error: (message, error, fields) => lines.push({ message, error: (error as Error).message, fields }),
  };
  const vars = (maxPods?: number) => ({ ...m5, maxPods: maxPods ?? m5.maxPods });
  const resolved = resolveKubelet(settings, vars, { log, expressions: gate ? expressions : undefined });
  return { resolved, lines };
}

describe('an expression', () => {
  const value = (expression: string) => expressions.evaluate(expression, m5);

  test.each([
    ['vcpus * 8', 16n],
    ['memory_mib / 100', 81n],
    ['default_enis * (ips_per_eni - 1) + 2', 29n],
    ['max_pods', 29n],
    ['instance_type.startsWith("m5") ? 1 : 2', 1n],
    ['max(60, vcpus * 10)', 60n],
    ['min(1.5, vcpus)', 1n],
    ['max(vcpus, 2.9)', 2n],
    ['-2.9', -2n],
    ['1e30', -(2n ** 63n)],
  ])('gives a whole number: %s', (expression, result) => {
    expect(value(expression)).toBe(result);
  });

  test.each([
    ['1 / 0', 'evaluating expression, division by zero (expression=1 / 0, instance-type=m5.large)'],
    [
      '9223372036854775807 + vcpus',
      'evaluating expression, integer overflow (expression=9223372036854775807 + vcpus, instance-type=m5.large)',
    ],
    ['1.0 / 0.0', 'expression returned a non-finite value (expression=1.0 / 0.0, instance-type=m5.large, value=+Inf)'],
    ['0.0 / 0.0', 'expression returned a non-finite value (expression=0.0 / 0.0, instance-type=m5.large, value=NaN)'],
  ])('may fail for an instance type: %s', (expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });

  test.each([
    [
      'cores * 2',
      "compiling expression, ERROR: <input>:1:1: undeclared reference to 'cores' (in container '')\n | cores * 2\n | ^ (expression=cores * 2)",
    ],
    [
      'vcpus * 0.5',
      "compiling expression, ERROR: <input>:1:7: found no matching overload for '_*_' applied to '(int, double)'\n | vcpus * 0.5\n | ......^ (expression=vcpus * 0.5)",
    ],
    ['"many"', 'expression must return int or double (expression="many", output-type=string)'],
    ['vcpus > 2', 'expression must return int or double (expression=vcpus > 2, output-type=bool)'],
  ])('may be none: %s', (expression, message) => {
    expect(() => expressions.compile(expression)).toThrow(new Error(message));
  });
});

test('maxPods sees the usual density, reserved amounts the resolved one', () => {
  const settings = {
    maxPods: 'max_pods * 2',
    kubeReserved: { memory: '11 * max_pods + 255', cpu: '100m' },
    systemReserved: { pid: 'max_pods' },
  };
  expect(resolve(settings).resolved).toEqual({
    maxPods: 58,
    kubeReserved: { memory: '896Mi', cpu: '100m' },
    systemReserved: { pid: '58' },
  });
});

test('results get the unit of their resource, and are rounded up', () => {
  const reserved = (kubeReserved: Readonly<Record<string, string>>) => resolve({ kubeReserved }).resolved.kubeReserved;
  expect(reserved({ cpu: '61 + 0', memory: '17 + 0', 'ephemeral-storage': '3.9 + 0.0', pid: '7 + 0' })).toEqual({
    cpu: '70m',
    memory: '32Mi',
    'ephemeral-storage': '3Gi',
    pid: '7',
  });
  expect(reserved({ cpu: '60 + 0', memory: '0 * 1' })).toEqual({ cpu: '60m', memory: '0Mi' });
  // A number alone is a quantity.
  expect(reserved({ cpu: '61', memory: '17' })).toEqual({ cpu: '61', memory: '17' });
});

test('a reserved amount that fails or is negative is left out, and logged', () => {
  const { resolved, lines } = resolve({ kubeReserved: { cpu: '1 / 0', memory: 'vcpus - 3', pid: '5' } });
  expect(resolved).toEqual({ kubeReserved: { pid: '5' } });
  expect(lines).toEqual([
    {
      message: 'failed to evaluate kubelet resource expression',
      error: 'evaluating expression, division by zero (expression=1 / 0, instance-type=m5.large)',
      fields: {
        key: 'cpu',
        expression: '1 / 0',
        'instance-type': 'm5.large',
        vcpus: 2,
        'memory-mib': 8192,
        'default-enis': 3,
        'ips-per-eni': 10,
        'max-pods': 29,
      },
    },
    {
      message: 'kubelet resource expression evaluated to an invalid value',
      error: 'result is negative',
      fields: { key: 'memory', expression: 'vcpus - 3', 'instance-type': 'm5.large', result: -1 },
    },
  ]);
});

test('a maxPods that fails, or is no number of pods, is an error', () => {
  expect(() => resolve({ maxPods: '1 / 0' })).toThrow(
    new Error(
      'evaluating maxPods expression, evaluating expression, division by zero (expression=1 / 0, instance-type=m5.large) (expression=1 / 0, instance-type=m5.large)',
    ),
  );
  expect(() => resolve({ maxPods: 'vcpus - 3' })).toThrow(
    'maxPods expression evaluated to a value outside the valid range [0, 2147483647] (expression=vcpus - 3, instance-type=m5.large, result=-1)',
  );
  expect(resolve({ maxPods: '2147483647 + 0' }).resolved).toEqual({ maxPods: 2147483647 });
  expect(() => resolve({ maxPods: '2147483647 + 1' })).toThrow('outside the valid range');
});

test('without the feature gate, expressions count as if they were not there', () => {
  const settings = {
    maxPods: 'vcpus',
    kubeReserved: { cpu: 'vcpus', memory: '1Gi' },
    systemReserved: { cpu: 'vcpus' },
  };
  expect(resolve(settings, false)).toEqual({
    resolved: { kubeReserved: { memory: '1Gi' }, systemReserved: {} },
    lines: [],
  });
  expect(resolve({ maxPods: 110 }, false).resolved).toEqual({ maxPods: 110 });
});

test('what is no expression asks nothing of the instance type', () => {
  const never = (): InstanceTypeVars => {
    throw new Error('asked');
  };
  const deps = { log: { debug() {}, info() {}, error() {} }, expressions };
  expect(resolveReserved({ cpu: '1' }, never, deps)).toEqual({ cpu: '1' });
  expect(resolveReserved(undefined, never, deps)).toBeUndefined();
  expect(hasExpressions({ maxPods: 5, kubeReserved: { cpu: '1' } })).toBe(false);
  expect(hasExpressions({ maxPods: '5' })).toBe(true);
  expect(hasExpressions({ systemReserved: { cpu: 'vcpus' } })).toBe(true);
});

test('trying all expressions tells the first that fails for the instance type', () => {
  const tried = (settings: KubeletSettings) => () =>
    tryExpressions(settings, (maxPods) => ({ ...m5, maxPods: maxPods ?? m5.maxPods }), expressions);
  expect(tried({ maxPods: 'vcpus', kubeReserved: { cpu: '10 * max_pods' } })).not.toThrow();
  expect(tried({ maxPods: 'vcpus - 3' })).toThrow('outside the valid range');
  expect(tried({ maxPods: 0, systemReserved: { cpu: '1 / max_pods' } })).toThrow(
    new Error(
      'evaluating kubelet resource expression, evaluating expression, division by zero (expression=1 / max_pods, instance-type=m5.large) (expression=1 / max_pods, field=systemReserved, instance-type=m5.large, key=cpu)',
    ),
  );
  expect(tried({ kubeReserved: { memory: 'vcpus - 3' } })).toThrow(
    new Error(
      'kubelet resource expression evaluated to a negative value (expression=vcpus - 3, field=kubeReserved, instance-type=m5.large, key=memory, result=-1)',
    ),
  );
});

test('what is no expression is told with its field', () => {
  const problem = (settings: KubeletSettings) => expressionProblem(settings, expressions);
  expect(problem({ maxPods: 'vcpus', kubeReserved: { cpu: 'vcpus * 10', memory: '1Gi' } })).toBeUndefined();
  expect(problem({ maxPods: 'vcpus > 1' })).toBe(
    'validating expression, expression must return int or double (expression=vcpus > 1, output-type=bool) (field=spec.kubelet.maxPods)',
  );
  expect(problem({ systemReserved: { cpu: '100millis' } })).toContain('(field=spec.kubelet.systemReserved[cpu])');
});
