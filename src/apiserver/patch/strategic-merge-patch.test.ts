import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import { BuiltinFieldSchemas, BuiltinTypes } from '../types/index.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const types = new BuiltinTypes();
const schemas = new BuiltinFieldSchemas();

function patchAs(apiVersion: string, kind: string, object: JsonObject, patch: JsonObject): JsonObject {
  const struct = types.kind(apiVersion, kind);
  if (struct === undefined) throw new RangeError(`no ${kind} in ${apiVersion}`);
  return applyStrategicMergePatch(object, patch, schemas.of(struct));
}

const podSpec: JsonObject = {
  containers: [
    { name: 'c', image: 'img', args: ['x', 'y'], env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] },
    { name: 'd', image: 'img2' },
  ],
  initContainers: [{ name: 'i', image: 'img' }],
  volumes: [
    { name: 'v', emptyDir: {} },
    { name: 'w', configMap: { name: 'q' } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  nodeSelector: { a: 'b' },
};
const patchPod = (spec: JsonObject): JsonObject => patchAs('v1', 'Pod', { spec: podSpec }, { spec }).spec as JsonObject;
const finalizers = (patch: JsonObject) =>
  patchAs('v1', 'ConfigMap', { metadata: { finalizers: ['a', 'b', 'c'] } }, { metadata: patch }).metadata;
const names = (list: unknown) => (list as readonly { readonly name: string }[]).map(({ name }) => name);

describe('a strategic merge patch', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['merges maps and deletes by null', { nodeSelector: { c: 'd', a: null } }, { nodeSelector: { c: 'd' } }],
    ['empties a map that it deletes', { nodeSelector: { $patch: 'delete' } }, { nodeSelector: {} }],
    ['replaces a map when told to', { nodeSelector: { $patch: 'replace', z: '1' } }, { nodeSelector: { z: '1' } }],
    ['deletes a list by null', { initContainers: null }, { initContainers: undefined }],
    ['replaces a list without merge key', { tolerations: [{ key: 'b' }] }, { tolerations: [{ key: 'b' }] }],
    [
      'merges items by a key other than name',
      { hostAliases: [{ ip: '192.0.2.1', hostnames: ['b'] }] },
      { hostAliases: [{ ip: '192.0.2.1', hostnames: ['b'] }] },
    ],
    [
      'merges topology spread constraints by topology key alone',
      { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] },
      { topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    ],
    [
      'keeps only the keys it is told to retain',
      { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'z' } }] },
      {
        volumes: [
          { name: 'v', configMap: { name: 'z' } },
          { name: 'w', configMap: { name: 'q' } },
        ],
      },
    ],
    [
      'drops nulls from what it adds',
      { securityContext: { fsGroup: null, runAsUser: 1 } },
      { securityContext: { runAsUser: 1 } },
    ],
  ])('%s', (_, patch, expected) => {
    expect(patchPod(patch)).toEqual({ ...podSpec, ...expected });
  });

  it('merges containers by name, and what is inside them', () => {
    const env = [{ name: 'A', value: null, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
    expect(patchPod({ containers: [{ name: 'c', image: 'new', args: ['z'], env }] }).containers).toEqual([
      {
        name: 'c',
        image: 'new',
        args: ['z'],
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        ports: [{ containerPort: 80 }],
      },
      { name: 'd', image: 'img2' },
    ]);
  });

  it('puts new items in front of those it does not name', () => {
    expect(names(patchPod({ containers: [{ name: 'e' }] }).containers)).toEqual(['e', 'c', 'd']);
    expect(names(patchPod({ volumes: [{ name: 'n' }] }).volumes)).toEqual(['n', 'v', 'w']);
  });

  it('deletes an item, or replaces all of them', () => {
    expect(names(patchPod({ containers: [{ name: 'c', $patch: 'delete' }] }).containers)).toEqual(['d']);
    expect(names(patchPod({ containers: [{ $patch: 'replace' }, { name: 'z' }] }).containers)).toEqual(['z']);
  });

  it.each([
    [
      ['d', 'c'],
      ['d', 'c'],
    ],
    [
      ['e', 'c', 'd'],
      ['e', 'c', 'd'],
    ],
    [['d'], ['c', 'd']],
  ])('orders items as $setElementOrder says: %j', (order, expected) => {
    const added = order.includes('e') ? { containers: [{ name: 'e' }] } : {};
    const patch = { '$setElementOrder/containers': order.map((name) => ({ name })), ...added };
    expect(names(patchPod(patch).containers)).toEqual(expected);
  });

  it('merges, orders and deletes from lists of scalars', () => {
    expect(finalizers({ finalizers: ['d', 'a'] })).toEqual({ finalizers: ['d', 'a', 'b', 'c'] });
    expect(finalizers({ '$setElementOrder/finalizers': ['c', 'a', 'b'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(finalizers({ '$deleteFromPrimitiveList/finalizers': ['b'] })).toEqual({ finalizers: ['a', 'c'] });
  });

  it('replaces the whole selector of a disruption budget', () => {
    const budget = { spec: { selector: { matchLabels: { a: 'b' } } } };
    expect(
      patchAs('policy/v1', 'PodDisruptionBudget', budget, { spec: { selector: { matchLabels: { c: 'd' } } } }),
    ).toEqual({
      spec: { selector: { matchLabels: { c: 'd' } } },
    });
  });

  it.each<[number, string, JsonObject]>([
    [500, 'map: map[image:x] does not contain declared merge key: name', { containers: [{ image: 'x' }] }],
    [500, 'unknown patch type: frob in map: map[$patch:frob name:c]', { containers: [{ name: 'c', $patch: 'frob' }] }],
    [500, 'unknown patch type: frob in map: map[$patch:frob]', { nodeSelector: { $patch: 'frob' } }],
    [400, 'invalid patch format of retainKeys', { securityContext: {}, $retainKeys: ['containers'] }],
    [
      500,
      "The order in patch list:\n[map[image:n name:e]]\n doesn't match $setElementOrder list:\n[map[name:d]]\n",
      { '$setElementOrder/containers': [{ name: 'd' }], containers: [{ name: 'e', image: 'n' }] },
    ],
  ])('is refused with %i: %s', (status, message, patch) => {
    expect(() => patchPod(patch)).toThrow(expect.objectContaining({ status, message }));
  });
});
