import { CORE_DEFINITIONS } from '../../apis/crds/index.ts';
import { decodeMeta } from '../../apiserver/crd/decode-meta.ts';
import { validateOpenApi } from '../../apiserver/crd/openapi.ts';
import { compileStructural, type Structural } from '../../apiserver/crd/structural.ts';
import { at, withAt } from '../../apiserver/json.ts';
import { type FieldError, FieldTypeError, type JsonObject } from '../../apiserver/kind.ts';
import { BuiltinTypes, decode } from '../../apiserver/types/index.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { demandedLists } from './missing-part.ts';
import { ruleBreaches } from './object-parts.ts';
import { withoutNulls } from './without-nulls.ts';

/** An object as the API would store it, or what is wrong with it in the API's words. */
export interface ReadShape {
  readonly object: KubeObject;
  readonly problems: readonly string[];
}

/** What a condition says without these is nothing; the rest of a status may be left out by hand. */
const NEEDED_IN_STATUS = /^status\.conditions\[\d+\]\.(type|status)$/;

const ANYTHING = compileStructural({});

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

  /**
   * Nulls are absent fields, as they are to the API; a null in a list is an empty item. Unknown fields of built-in kinds go,
   * and objects of kinds that are unknown here pass.
   */
  read(object: KubeObject): ReadShape {
    const { apiVersion = '', kind = '' } = object;
    const schema = this.#schemas.get(`${apiVersion} ${kind}`);
    const struct = schema ? undefined : this.#types.kind(apiVersion, kind);
    try {
      if (schema) return readCustom(object, schema);
      if (!struct) return { object: withoutNulls(object), problems: [] };
      const decoded = withLists(withoutNulls(decode(object as unknown as JsonObject, struct).object), kind);
      const breaches = ruleBreaches(kind, decoded).filter(
        ({ type }) => !isSaved(object) || type === 'FieldValueRequired',
      );
      return { object: decoded as unknown as KubeObject, problems: breaches.map(words) };
    } catch (error) {
      if (error instanceof FieldTypeError) return { object, problems: [error.message] };
      throw error;
    }
  }
}

/** To the API an empty list is none; here some may be empty but not absent. */
function withLists(object: JsonObject, kind: string): JsonObject {
  return demandedLists(kind).reduce((all, path) => (at(all, ...path) ? all : withAt(all, path, [])), object);
}

/** An API has taken it, perhaps by older rules; it never took one that lacks what it has always demanded. */
function isSaved({ metadata }: KubeObject): boolean {
  return metadata.uid !== undefined;
}

function readCustom(object: KubeObject, schema: Structural): ReadShape {
  const json = object as unknown as JsonObject;
  const { metadata } = decodeMeta({ metadata: json.metadata ?? {} }, ANYTHING, []);
  const errors = validateOpenApi('', schema, json).filter(
    ({ type, field }) => type !== 'FieldValueRequired' || !field.startsWith('status.') || NEEDED_IN_STATUS.test(field),
  );
  return { object: { ...json, metadata } as unknown as KubeObject, problems: errors.map(words) };
}

function words({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}
