import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyConfiguration, updateManagedFields } from '../../src/apiserver/apply/index.ts';
import type { Json, JsonObject } from '../../src/apiserver/kind.ts';
import { BuiltinFieldSchemas, BuiltinTypes } from '../../src/apiserver/types/index.ts';

interface Step {
  readonly verb: 'apply' | 'update';
  readonly manager: string;
  readonly force: boolean;
  readonly object: JsonObject;
}

interface Scenario {
  readonly apiVersion: string;
  readonly kind: string;
  readonly steps: readonly Step[];
}

interface Outcome {
  readonly error?: string;
  readonly live: JsonObject;
}

const tool = spawnSync(fileURLToPath(new URL('../../hack/go-tool', import.meta.url)), ['merges'], {
  encoding: 'utf8',
});

const value = fc.constantFrom('1', '2');
const entries = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const distinct = <T>(item: fc.Arbitrary<T>, key: (item: T) => unknown) =>
  fc.uniqueArray(item, { maxLength: 3, selector: key });

const env = distinct(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: some(value) }), ({ name }) => name);
const ports = distinct(
  fc.record({
    containerPort: fc.constantFrom(53, 80),
    protocol: some(fc.constantFrom('TCP', 'UDP')),
    name: some(value),
  }),
  ({ containerPort, protocol }) => `${containerPort}${protocol ?? 'TCP'}`,
);
const container = fc.record({
  name: fc.constantFrom('c', 'd', 'e'),
  image: some(value),
  args: some(fc.array(value, { maxLength: 2 })),
  env: some(env),
  ports: some(ports),
});
const podSpec = fc.record({
  containers: some(distinct(container, ({ name }) => name)),
  nodeSelector: some(entries),
  tolerations: some(fc.array(fc.record({ key: value }), { maxLength: 2 })),
  securityContext: some(fc.constant({})),
});
const metadata = fc.record({
  name: fc.constant('x'),
  labels: some(entries),
  finalizers: some(fc.uniqueArray(value)),
});
const deployment = fc.record({
  metadata,
  spec: some(
    fc.record({
      replicas: some(fc.integer({ min: 0, max: 2 })),
      paused: some(fc.boolean()),
      template: some(fc.record({ metadata: some(fc.record({ labels: entries })), spec: some(podSpec) })),
    }),
  ),
});
const configMap = fc.record({ metadata, data: some(entries), immutable: some(fc.boolean()) });

const scenario = (apiVersion: string, kind: string, object: fc.Arbitrary<object>): fc.Arbitrary<Scenario> =>
  fc.record({
    apiVersion: fc.constant(apiVersion),
    kind: fc.constant(kind),
    steps: fc.array(
      fc.record({
        verb: fc.constantFrom('apply' as const, 'apply' as const, 'update' as const),
        manager: fc.constantFrom('alice', 'bob', 'carol'),
        force: fc.boolean(),
        object: object.map((one) => JSON.parse(JSON.stringify({ apiVersion, kind, ...one })) as JsonObject),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  });

const types = new BuiltinTypes();
const schemas = new BuiltinFieldSchemas();

function play({ apiVersion, kind, steps }: Scenario): readonly Outcome[] {
  const struct = types.kind(apiVersion, kind);
  if (struct === undefined) throw new RangeError(`no ${kind} in ${apiVersion}`);
  const empty = { apiVersion, kind };
  let live: JsonObject = empty;
  return steps.map(({ verb, manager, force, object }) => {
    const write = { apiVersion, schema: schemas.of(struct), manager, subresource: '', now: '2024-01-01T00:00:00Z' };
    try {
      live =
        verb === 'apply'
          ? applyConfiguration(live, object, { ...write, kind, force, empty })
          : updateManagedFields(live, object, write);
      return { live };
    } catch (error) {
      return { error: (error as Error).message, live };
    }
  });
}

/** Times are the clock's, and managers of one second have no order of their own. */
function comparable({ error, live }: Outcome): unknown {
  const { managedFields, ...meta } = (live.metadata ?? {}) as JsonObject;
  const entries = ((managedFields ?? []) as readonly JsonObject[]).map(({ time: _, ...entry }) => entry);
  const managers = Object.fromEntries(entries.map((entry) => [`${entry.manager} ${entry.operation}`, entry]));
  return { error: error ?? '', live: { ...live, metadata: meta as Json }, managers };
}

describe.skipIf(tool.status !== 0)('field ownership', () => {
  it.each([
    ['ConfigMap', scenario('v1', 'ConfigMap', configMap)],
    ['Deployment', scenario('apps/v1', 'Deployment', deployment)],
  ])('goes as in kube-apiserver through random applies and updates of a %s', { timeout: 120_000 }, (_, arbitrary) => {
    const scenarios = fc.sample(arbitrary, { numRuns: 400, seed: 1 });
    const input = scenarios.map((one) => JSON.stringify(one)).join('\n');
    const output = execFileSync(tool.stdout.trim(), { input, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
    for (const [index, line] of output.trim().split('\n').entries()) {
      const one = scenarios[index];
      if (one === undefined) throw new RangeError('more answers than questions');
      const theirs = (JSON.parse(line) as readonly Outcome[]).map(comparable);
      expect(play(one).map(comparable), JSON.stringify(one)).toEqual(theirs);
    }
  });
});
