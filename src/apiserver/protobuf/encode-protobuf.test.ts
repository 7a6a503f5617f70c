import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import { BuiltinTypes } from '../types/index.ts';
import { ProtobufDecoder, ProtobufEncoder } from './index.ts';

const types = new BuiltinTypes();
const encoder = new ProtobufEncoder({ types });
const decoder = new ProtobufDecoder({ types });

/** What a client that asked for protobuf reads. */
const read = (bytes: Uint8Array | undefined): JsonObject =>
  decoder.decode(bytes ?? new Uint8Array(), { apiVersion: '', kind: '' });

const meta = { name: 'a', namespace: 'n', labels: { b: '2', a: '1' }, creationTimestamp: '2023-11-14T22:13:20Z' };

describe('an answer in protobuf', () => {
  it.each<[string, JsonObject]>([
    ['maps, bytes', { apiVersion: 'v1', kind: 'Secret', metadata: meta, type: 'Opaque', data: { k: 'AAE=' } }],
    [
      'inlined structs, quantities, lists, negative numbers, and false',
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...meta,
          ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: false }],
        },
        spec: {
          volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }],
          priority: -7,
          containers: [
            {
              name: 'c',
              image: 'i',
              resources: { requests: { cpu: '100m' } },
              livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 10 },
            },
          ],
        },
      },
    ],
    [
      'ports by number, times with fractions',
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: meta,
        spec: { holderIdentity: 'h', renewTime: '2023-11-14T22:13:20.123456Z' },
      },
    ],
    [
      'schemas that are one thing or another',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'x' },
        spec: {
          group: 'g',
          names: { plural: 'xs', kind: 'X' },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    a: { type: 'array', items: { type: 'string' }, default: ['x'], maximum: 1.5 },
                    b: { additionalProperties: { type: 'integer' } },
                    c: { additionalProperties: true },
                  },
                },
              },
            },
          ],
        },
      },
    ],
  ])('holds what the JSON one does: %s', (_what, object) => {
    expect(read(encoder.encode(object))).toEqual(object);
  });

  it('holds lists, whose items go without their kind', () => {
    const items = [{ metadata: meta, data: { k: 'v' } }];
    const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' } };
    expect(read(encoder.encodeList(list, items))).toEqual({ ...list, items });
  });

  it('is none for custom resources and tables', () => {
    expect(encoder.encode({ apiVersion: 'example.com/v1', kind: 'Widget' })).toBeUndefined();
    expect(encoder.encode({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toBeUndefined();
  });

  it('of a watch says how long each event is', () => {
    const frame = Buffer.from(encoder.encodeEvent('ADDED', { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta }));
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    const at = frame.indexOf('k8s\0');
    expect(frame.subarray(4, at).toString('latin1')).toContain('ADDED');
    expect(read(frame.subarray(at))).toMatchObject({ kind: 'ConfigMap', metadata: meta });
  });
});
