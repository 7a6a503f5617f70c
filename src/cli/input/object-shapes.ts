import { CORE_DEFINITIONS } from '../../apis/crds/index.ts';
import { validateOpenApi } from '../../apiserver/crd/openapi.ts';
import { compileStructural, type Structural } from '../../apiserver/crd/structural.ts';
import { FieldTypeError, type JsonObject } from '../../apiserver/kind.ts';
import { BuiltinTypes, decode } from '../../apiserver/types/index.ts';
import type { KubeObject } from '../../kube/objects.ts';

/** Knows the fields of built-in kinds and of Karpenter's own. Saved objects were checked by an API; edited ones were not. */
export class ObjectShapes {
  readonly #types = new BuiltinTypes();
  readonly #schemas = new Map<string, Structural>(
    CORE_DEFINITIONS.flatMap(({ spec }) =>
      spec.versions.map(
        ({ name, schema }) =>
          [`${spec.group}/${name} ${spec.names.kind}`, compileStructural(schema?.openAPIV3Schema ?? {})] as const,
      ),
    ),
  );

  /** What is wrong with the object, in the API's words; nothing for kinds that are unknown here, and unknown fields pass. */
  problems(object: KubeObject): readonly string[] {
    const { apiVersion = '', kind = '' } = object;
    const json = object as unknown as JsonObject;
    const schema = this.#schemas.get(`${apiVersion} ${kind}`);
    if (schema) {
      // A status that was written by hand may say less than a controller's.
      const errors = validateOpenApi('', schema, json).filter(
        ({ type, field }) => !(type === 'FieldValueRequired' && field.startsWith('status.')),
      );
      return errors.map(({ field, message }) => `${field}: ${message}`);
    }
    const struct = this.#types.kind(apiVersion, kind);
    if (!struct) return [];
    try {
      decode(json, struct);
      return [];
    } catch (error) {
      if (error instanceof FieldTypeError) return [error.message];
      throw error;
    }
  }
}
