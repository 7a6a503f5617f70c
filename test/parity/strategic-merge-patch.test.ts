import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/apiserver/kind.ts';
import { applyStrategicMergePatch } from '../../src/apiserver/patch/index.ts';
import { BuiltinFieldSchemas, BuiltinTypes } from '../../src/apiserver/types/index.ts';

interface Outcome {
  readonly error?: string;
  readonly live: JsonObject | null;
}

const tool = spawnSync(fileURLToPath(new URL('../../hack/go-tool', import.meta.url)), ['merges'], { encoding: 'utf8' });

const value = fc.constantFrom('1', '2');
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 6 });
const name = fc.constantFrom('c', 'd', 'e');
const byName = { maxLength: 3, selector: (item: object) => JSON.stringify((item as { name?: unknown }).name) };
const key = fc.constantFrom('a', 'b', 'c');

/** Objects as they are stored, or with `patch` as a patch would have them: with nulls and directives. */
function podSpec(patch: boolean): fc.Arbitrary<object> {
  const field = <T>(arbitrary: fc.Arbitrary<T>) => (patch ? some(orNull(arbitrary)) : some(arbitrary));
  const env = fc.uniqueArray(fc.record({ name, value: field(value) }), byName);
  const container = fc.record({
    name,
    image: field(value),
    args: field(fc.array(value, { maxLength: 2 })),
    env: field(env),
    ...(patch ? { $patch: rarely(fc.constantFrom('delete', 'replace', 'frob')) } : {}),
  });
  const volume = fc.record({
    name,
    emptyDir: field(fc.constant({})),
    configMap: field(fc.record({ name: value })),
    ...(patch ? { $retainKeys: rarely(fc.constantFrom(['name', 'emptyDir'], ['name', 'configMap'])) } : {}),
  });
  const selectorPatch = fc.record({
    a: field(value),
    b: field(value),
    $patch: some(fc.constantFrom('delete', 'replace')),
  });
  return fc.record({
    containers: field(fc.uniqueArray(container, byName)),
    volumes: field(fc.uniqueArray(volume, byName)),
    tolerations: field(fc.array(fc.record({ key: value }), { maxLength: 2 })),
    nodeSelector: field<object>(patch ? selectorPatch : fc.dictionary(key, value)),
    ...(patch ? { '$setElementOrder/containers': rarely(fc.uniqueArray(fc.record({ name }), byName)) } : {}),
  });
}

const finalizers = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'));
// What a patch both adds and deletes depends on the order of a Go map.
const added = fc.uniqueArray(fc.constantFrom('x', 'y'));
const deleted = fc.uniqueArray(fc.constantFrom('z', 'w'));
const pod = (patch: boolean): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      metadata: fc.record({
        labels: some(fc.dictionary(key, value)),
        finalizers: some(patch ? added : finalizers),
        ...(patch
          ? {
              '$deleteFromPrimitiveList/finalizers': some(deleted),
              '$setElementOrder/finalizers': rarely(finalizers),
            }
          : {}),
      }),
      spec: podSpec(patch),
    })
    .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);

const struct = new BuiltinTypes().kind('v1', 'Pod');
const schemas = new BuiltinFieldSchemas();

function patched(live: JsonObject, patch: JsonObject): Outcome {
  if (struct === undefined) throw new RangeError('no Pod');
  try {
    return { live: applyStrategicMergePatch(live, patch, schemas.of(struct)) };
  } catch (error) {
    return { error: (error as Error).message, live: null };
  }
}

describe.skipIf(tool.status !== 0)('strategic merge patches', () => {
  it('come out as in kube-apiserver for random pods and patches', { timeout: 120_000 }, () => {
    const pairs = fc.sample(fc.tuple(pod(false), pod(true)), { numRuns: 1000, seed: 1 });
    const scenarios = pairs.map(([live, object]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      live,
      steps: [{ verb: 'patch', object }],
    }));
    const input = scenarios.map((one) => JSON.stringify(one)).join('\n');
    const output = execFileSync(tool.stdout.trim(), { input, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
    for (const [index, line] of output.trim().split('\n').entries()) {
      const [theirs] = JSON.parse(line) as readonly Outcome[];
      const [live, patch] = pairs[index] ?? [{}, {}];
      const ours = patched(live, patch);
      // Of several faults, Go's map order decides which is told.
      const expected =
        theirs?.error !== undefined && ours.error !== undefined ? { ...theirs, error: ours.error } : theirs;
      expect(ours, JSON.stringify({ live, patch })).toEqual(expected);
    }
  });
});
