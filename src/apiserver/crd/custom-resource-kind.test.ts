import { beforeAll, describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../../apis/crds/definition.ts';
import type { JsonSchema } from '../../apis/crds/json-schema.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import { CelLoader } from './cel/cel-engine.ts';
import { CustomResourceKind } from './custom-resource-kind.ts';

const cel = new CelLoader();

function kindOf(spec: JsonSchema, status: JsonSchema = { type: 'object' }): CustomResourceKind {
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.sea.example.com' },
    spec: {
      group: 'sea.example.com',
      scope: 'Namespaced',
      names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  };
  return new CustomResourceKind(definition, 'v1', cel);
}

const boat = (spec: JsonObject, status?: JsonObject): JsonObject => ({
  apiVersion: 'sea.example.com/v1',
  kind: 'Boat',
  metadata: { name: 'b', namespace: 'n', resourceVersion: '1' },
  spec,
  ...(status ? { status } : {}),
});

const lines = (errors: readonly FieldError[]): readonly string[] => errors.map((e) => `${e.field}: ${e.message}`);

const hull = (properties: Record<string, JsonSchema>, more: Partial<JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('decoding a custom resource', () => {
  const kind = kindOf(
    hull({
      name: { type: 'string' },
      crew: { type: 'array', items: hull({ rank: { type: 'string' } }) },
      extras: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    }),
  );

  it('drops fields that the schema does not have, and names them', () => {
    const { object, unknown } = kind.decode(boat({ name: 'x', keel: 1, crew: [{ rank: 'mate', age: 3 }] }));
    expect(object.spec).toEqual({ name: 'x', crew: [{ rank: 'mate' }] });
    expect([...unknown].sort()).toEqual(['unknown field "spec.crew[0].age"', 'unknown field "spec.keel"']);
  });

  it('keeps what preserves unknown fields', () => {
    const { object, unknown } = kind.decode(boat({ extras: { flag: 'red', deep: [{ x: 1 }] } }));
    expect(object.spec).toEqual({ extras: { flag: 'red', deep: [{ x: 1 }] } });
    expect(unknown).toEqual([]);
  });
});

describe('defaults', () => {
  it('reach into arrays and maps of what is there', () => {
    const kind = kindOf(
      hull({
        sails: { type: 'array', items: hull({ area: { type: 'integer', default: 12 } }) },
        ports: { type: 'object', additionalProperties: hull({ open: { type: 'boolean', default: true } }) },
      }),
    );
    expect(kind.applyDefaults(boat({ sails: [{}, { area: 3 }], ports: { left: {} } })).spec).toEqual({
      sails: [{ area: 12 }, { area: 3 }],
      ports: { left: { open: true } },
    });
    expect(kind.applyDefaults(boat({})).spec).toEqual({});
  });

  it('replace a null that the schema forbids and leave one that it allows', () => {
    const kind = kindOf(
      hull({ a: { type: 'string', default: 'x' }, b: { type: 'string', nullable: true, default: 'x' } }),
    );
    const { object } = kind.decode(boat({ a: null, b: null }));
    expect(kind.applyDefaults(object).spec).toEqual({ a: 'x', b: null });
  });
});

describe('validation by the schema', () => {
  const table: readonly [string, JsonSchema, Json, string][] = [
    [
      'a wrong type',
      { type: 'string' },
      7,
      'spec.v: Invalid value: "integer": spec.v in body must be of type string: "integer"',
    ],
    [
      'an enum',
      { type: 'string', enum: ['b', 'c'] },
      'a',
      'spec.v: Unsupported value: "a": supported values: "b", "c"',
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^x+$' },
      'y',
      `spec.v: Invalid value: "y": spec.v in body should match '^x+$'`,
    ],
    [
      'a minimum',
      { type: 'integer', minimum: 3 },
      1,
      'spec.v: Invalid value: 1: spec.v in body should be greater than or equal to 3',
    ],
    [
      'a maximum',
      { type: 'integer', maximum: 3 },
      4,
      'spec.v: Invalid value: 4: spec.v in body should be less than or equal to 3',
    ],
    [
      'a text that is too short',
      { type: 'string', minLength: 2 },
      'x',
      'spec.v: Invalid value: "x": spec.v in body should be at least 2 chars long',
    ],
    [
      'a text that is too long',
      { type: 'string', maxLength: 2 },
      'xyz',
      'spec.v: Too long: may not be more than 2 bytes',
    ],
    [
      'too many items',
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      'spec.v: Too many: 2: must have at most 1 item',
    ],
    [
      'too few items',
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [],
      'spec.v: Invalid value: 0: spec.v in body should have at least 1 items',
    ],
    ['a missing field', hull({ w: { type: 'string' } }, { required: ['w'] }), {}, 'spec.v.w: Required value'],
    [
      'a repeated item of a set',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['a', 'a'],
      'spec.v[1]: Duplicate value: "a"',
    ],
    [
      'a repeated key of a keyed list',
      {
        type: 'array',
        items: hull({ k: { type: 'string' } }, { required: ['k'] }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [{ k: 'a' }, { k: 'a' }],
      'spec.v[1]: Duplicate value: {"k":"a"}',
    ],
  ];

  for (const [what, schema, value, expected] of table) {
    it(`words ${what} as kube-apiserver does`, () => {
      expect(lines(kindOf(hull({ v: schema })).validateCreate(boat({ v: value })))).toEqual([expected]);
    });
  }

  it('takes whole numbers and texts for int-or-string', () => {
    const kind = kindOf(
      hull({ v: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
    );
    expect(kind.validateCreate(boat({ v: 3 }))).toEqual([]);
    expect(kind.validateCreate(boat({ v: '30%' }))).toEqual([]);
    expect(kind.validateCreate(boat({ v: true }))).not.toEqual([]);
  });

  it('lets an unchanged value stay that the schema forbids by now', () => {
    const kind = kindOf(hull({ v: { type: 'string', maxLength: 1 }, w: { type: 'string' } }));
    expect(kind.validateUpdate(boat({ v: 'long', w: 'new' }), boat({ v: 'long', w: 'old' }), '')).toEqual([]);
    expect(lines(kind.validateUpdate(boat({ v: 'longer' }), boat({ v: 'long' }), ''))).toEqual([
      'spec.v: Too long: may not be more than 1 byte',
    ]);
  });

  it('looks only at the status when the status is written', () => {
    const kind = kindOf(hull({ v: { type: 'integer' } }), hull({ s: { type: 'integer' } }));
    expect(kind.validateUpdate(boat({ v: 'x' }, { s: 1 }), boat({ v: 'x' }), 'status')).toEqual([]);
    expect(lines(kind.validateUpdate(boat({}, { s: 'x' }), boat({}), 'status'))).toEqual([
      'status.s: Invalid value: "string": s in body must be of type integer: "string"',
    ]);
  });
});

describe('rules in CEL', () => {
  const kind = kindOf(
    hull(
      {
        low: { type: 'integer' },
        high: { type: 'integer' },
        name: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'names stay' }] },
        code: {
          type: 'string',
          'x-kubernetes-validations': [
            {
              rule: 'oldSelf.hasValue() || self.startsWith("n-")',
              optionalOldSelf: true,
              message: 'new codes have n-',
            },
          ],
        },
        cargo: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: hull(
            {
              id: { type: 'string' },
              weight: {
                type: 'integer',
                'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'only gets heavier' }],
              },
            },
            { required: ['id'] },
          ),
        },
      },
      {
        'x-kubernetes-validations': [
          {
            rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
            messageExpression: '"low is " + string(self.low)',
            fieldPath: '.low',
            reason: 'FieldValueForbidden',
          },
        ],
      },
    ),
  );

  beforeAll(() => kind.prepare());

  it('say what the message expression gives, where and why the rule says', () => {
    expect(kind.validateCreate(boat({ low: 5, high: 3 }))).toEqual([
      { type: 'FieldValueForbidden', field: 'spec.low', message: 'Forbidden: low is 5' },
    ]);
    expect(kind.validateCreate(boat({ low: 3, high: 3 }))).toEqual([]);
  });

  it('about a transition run only where there was a value before', () => {
    expect(kind.validateCreate(boat({ name: 'a' }))).toEqual([]);
    expect(kind.validateUpdate(boat({ name: 'a' }), boat({}), '')).toEqual([]);
    expect(lines(kind.validateUpdate(boat({ name: 'b' }), boat({ name: 'a' }), ''))).toEqual([
      'spec.name: Invalid value: "b": names stay',
    ]);
  });

  it('with an optional old value run for new ones too', () => {
    expect(kind.validateCreate(boat({ code: 'x' }))).toHaveLength(1);
    expect(kind.validateCreate(boat({ code: 'n-x' }))).toEqual([]);
    expect(kind.validateUpdate(boat({ code: 'y' }), boat({ code: 'x' }), '')).toEqual([]);
  });

  it('find the old item of a keyed list by its key, wherever it stood', () => {
    const before = boat({
      cargo: [
        { id: 'a', weight: 5 },
        { id: 'b', weight: 1 },
      ],
    });
    const after = boat({
      cargo: [
        { id: 'b', weight: 2 },
        { id: 'a', weight: 4 },
      ],
    });
    expect(kind.validateUpdate(after, before, '').map((error) => error.field)).toEqual(['spec.cargo[1].weight']);
  });

  it('are left out while the object is wrong in itself', () => {
    const errors = lines(kind.validateCreate(boat({ low: 'x', high: 3 })));
    expect(errors[0]).toContain('must be of type integer');
    expect(errors.at(-1)).toContain('some validation rules were not checked');
  });
});
