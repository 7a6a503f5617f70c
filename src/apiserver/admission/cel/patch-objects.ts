import type { Environment } from '@marcbachmann/cel-js';

/** What `Object{…}` and `JSONPatch{…}` make in expressions of mutating policies (apiserver cel/mutation). */

/** A part of an object, with the type name that it was written with. */
export class PatchObject {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, unknown>;

  constructor(typeName: string, fields: ReadonlyMap<string, unknown> = new Map()) {
    this.typeName = typeName;
    this.fields = fields;
  }
}

/** The whole object; a type of its own, since a patch has to be one. */
class WholeObject extends PatchObject {}

/** One operation of a JSON patch. */
export class PatchOperation {
  readonly parts: Readonly<Record<string, unknown>>;

  constructor(parts: Readonly<Record<string, unknown>> = {}) {
    this.parts = parts;
  }
}

export const OBJECT_TYPE = 'Object';
export const PATCH_TYPE = 'JSONPatch';
const FIELD_TYPE = 'Object.field';

const extended = ({ fields }: PatchObject, name: string, value: unknown): ReadonlyMap<string, unknown> =>
  new Map(fields).set(name, value);

interface OptionalValue {
  hasValue(): boolean;
  value(): unknown;
}

/** What `jsonpatch` is in `jsonpatch.escapeKey(key)`. */
class JsonPatchNamespace {
  readonly functions = 'jsonpatch';
}

/** Registers the functions that `rewriteLiterals` turns literals into. */
export const registerPatchObjects = (env: Environment): void => {
  env.registerType(OBJECT_TYPE, { ctor: WholeObject, fields: {} });
  env.registerType(FIELD_TYPE, { ctor: PatchObject, fields: {} });
  env.registerType(PATCH_TYPE, { ctor: PatchOperation, fields: {} });
  env.registerFunction(`object__(): ${OBJECT_TYPE}`, () => new WholeObject(OBJECT_TYPE));
  env.registerFunction(`part__(string): ${FIELD_TYPE}`, (name: string) => new PatchObject(name));
  env.registerFunction(
    `${OBJECT_TYPE}.set__(string, dyn): ${OBJECT_TYPE}`,
    (self: PatchObject, name: string, value: unknown) => new WholeObject(OBJECT_TYPE, extended(self, name, value)),
  );
  env.registerFunction(
    `${FIELD_TYPE}.set__(string, dyn): ${FIELD_TYPE}`,
    (self: PatchObject, name: string, value: unknown) => new PatchObject(self.typeName, extended(self, name, value)),
  );
  env.registerFunction(
    `${OBJECT_TYPE}.setIf__(string, dyn): ${OBJECT_TYPE}`,
    (self: PatchObject, name: string, value: OptionalValue) =>
      value.hasValue() ? new WholeObject(OBJECT_TYPE, extended(self, name, value.value())) : self,
  );
  env.registerFunction(
    `${FIELD_TYPE}.setIf__(string, dyn): ${FIELD_TYPE}`,
    (self: PatchObject, name: string, value: OptionalValue) =>
      value.hasValue() ? new PatchObject(self.typeName, extended(self, name, value.value())) : self,
  );
  env.registerFunction(`operation__(): ${PATCH_TYPE}`, () => new PatchOperation());
  for (const [name, type] of [
    ['op', 'string'],
    ['path', 'string'],
    ['from', 'string'],
    ['value', 'dyn'],
  ] as const) {
    env.registerFunction(
      `${PATCH_TYPE}.${name}__(${type}): ${PATCH_TYPE}`,
      (self: PatchOperation, value: unknown) => new PatchOperation({ ...self.parts, [name]: value }),
    );
  }
  env.registerType('JsonPatchNamespace', { ctor: JsonPatchNamespace, fields: {} });
  env.registerConstant('jsonpatch', 'JsonPatchNamespace', new JsonPatchNamespace());
  env.registerFunction('JsonPatchNamespace.escapeKey(string): string', (_: JsonPatchNamespace, key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  );
};

/** What is wrong with the type names of a value: each has to be the path of fields that leads to it. */
export const misnamed = (value: unknown, path: string): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => misnamed(item, path));
  if (value instanceof PatchObject) {
    const wrong =
      value.typeName === path
        ? []
        : [
            `unexpected type name "${value.typeName}", expected "${path}", which matches field name path from root Object type`,
          ];
    return [...wrong, ...[...value.fields].flatMap(([name, item]) => misnamed(item, `${path}.${name}`))];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => misnamed(item, path));
};
