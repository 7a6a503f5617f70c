import { describe, expect, it } from 'vitest';
import { BuiltinTypes } from '../types/index.ts';
import { ProtobufDecoder, ProtobufError } from './index.ts';

/** A field: a number is a varint; text, bytes and messages are length-delimited. */
type Wire = readonly [number, number | string | Uint8Array | readonly Wire[]];

const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);

function message(fields: readonly Wire[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
      const bytes = typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value) : message(value);
      return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
    }),
  );
}

const decoder = new ProtobufDecoder({ types: new BuiltinTypes() });

function decode(apiVersion: string, kind: string, raw: readonly Wire[]) {
  const envelope = message([
    [
      1,
      [
        [1, apiVersion],
        [2, kind],
      ],
    ],
    [2, message(raw)],
  ]);
  return decoder.decode(Buffer.concat([Buffer.from('k8s\0'), envelope]), { apiVersion: 'v1', kind: 'ConfigMap' });
}

describe('a protobuf body', () => {
  it('holds text, numbers and maps', () => {
    const metadata: Wire = [
      1,
      [
        [1, 'a'],
        [
          11,
          [
            [1, 'l'],
            [2, 'x'],
          ],
        ],
      ],
    ];
    expect(
      decode('v1', 'ConfigMap', [
        metadata,
        [
          2,
          [
            [1, 'k'],
            [2, 'v'],
          ],
        ],
        [2, [[1, 'e']]],
      ]),
    ).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { l: 'x' } },
      data: { k: 'v', e: null },
    });
    expect(
      decode('coordination.k8s.io/v1', 'Lease', [
        [
          2,
          [
            [1, 'holder'],
            [2, 15],
          ],
        ],
      ]),
    ).toMatchObject({
      spec: { holderIdentity: 'holder', leaseDurationSeconds: 15 },
    });
  });

  it('holds lists, inlined structs, quantities, ports by name or number and times', () => {
    const resources: Wire = [
      8,
      [
        [
          1,
          [
            [1, 'cpu'],
            [2, [[1, '100m']]],
          ],
        ],
      ],
    ];
    const container: Wire = [2, [[1, 'c'], [3, 'a'], [3, 'b'], resources]];
    const volume: Wire = [
      1,
      [
        [1, 'v'],
        [2, [[19, [[1, [[1, 'q']]]]]]],
      ],
    ];
    const started: Wire = [7, [[1, 1_700_000_000]]];
    expect(
      decode('v1', 'Pod', [
        [2, [volume, container]],
        [3, [started]],
      ]),
    ).toMatchObject({
      spec: {
        containers: [{ name: 'c', command: ['a', 'b'], resources: { limits: { cpu: '100m' } } }],
        volumes: [{ name: 'v', configMap: { name: 'q' } }],
      },
      status: { startTime: '2023-11-14T22:13:20Z' },
    });
    const port = (target: readonly Wire[]): Wire => [
      1,
      [
        [3, 80],
        [4, target],
      ],
    ];
    expect(
      decode('v1', 'Service', [
        [
          2,
          [
            port([
              [1, 0],
              [2, 8080],
            ]),
            port([
              [1, 1],
              [3, 'web'],
            ]),
          ],
        ],
      ]),
    ).toMatchObject({
      spec: { ports: [{ targetPort: 8080 }, { targetPort: 'web' }] },
    });
  });

  it('takes the kind that is expected where it says none', () => {
    expect(decode('', '', [])).toEqual({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('ignores fields of a newer client', () => {
    expect(
      decode('v1', 'ConfigMap', [
        [99, 'x'],
        [98, 5],
      ]),
    ).toEqual({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('is refused without its prefix', () => {
    expect(() => decoder.decode(Buffer.from('nope'), { apiVersion: 'v1', kind: 'ConfigMap' })).toThrow(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  });

  it.each<[string, Wire]>([
    ['proto: ObjectMeta: illegal tag 0 (wire type 1)', [1, '\u0001\u0002zzz']],
    ['proto: wrong wireType = 0 for field Metadata', [1, 5]],
    ['unexpected EOF', [1, new Uint8Array([0x0a, 0x05, 0x61])]],
    ['proto: illegal wireType 7', [1, new Uint8Array([0x0f])]],
  ])('is refused where it is malformed: %s', (reason, field) => {
    const attempt = () => decode('v1', 'ConfigMap', [field]);
    expect(attempt).toThrow(ProtobufError);
    expect(attempt).toThrow(
      expect.objectContaining({ message: reason, type: { apiVersion: 'v1', kind: 'ConfigMap' } }),
    );
  });
});
