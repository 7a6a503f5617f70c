import { jsonEqual } from '../../kube/json-equal.ts';
import { CelLoader } from '../crd/cel/cel-engine.ts';
import { DefinitionKind } from '../crd/definition/definition-kind.ts';
import { deepFreeze } from '../json.ts';
import type { JsonObject, Kind } from '../kind.ts';
import { BuiltinFieldSchemas, BuiltinTypes, type StructType } from '../types/index.ts';
import { type BuiltInRules, builtInKind } from './built-in-kind.ts';
import { ExpressionSource } from './expression-source.ts';
import { permissiveKind } from './permissive-kind.ts';
import type { KindSource } from './registry-deps.ts';
import { apiVersionOf, type GroupVersionKind, type ResourceDefinition } from './resource-definition.ts';
import { fromStorage } from './version-conversion.ts';

const keyOf = (kind: GroupVersionKind): string => `${apiVersionOf(kind)} ${kind.kind}`;

/** The kinds of everything that is served: built-in ones made when first asked for, custom ones as they come and go. */
export class ServedKinds implements KindSource {
  readonly #types = new BuiltinTypes();
  readonly #schemas = new BuiltinFieldSchemas();
  readonly #builtIn = new Map<string, Kind>();
  readonly #custom = new Map<string, Kind>();
  /** Custom resources as they are shown, by kind: schemas change under stored objects. */
  readonly #defaulted = new WeakMap<Kind, WeakMap<JsonObject, JsonObject>>();
  readonly #rules: BuiltInRules | undefined;
  /** One for all definitions and custom resources. */
  readonly cel = new CelLoader();
  readonly #expressions = new ExpressionSource(this.cel);

  constructor(rules?: BuiltInRules) {
    this.#rules = rules;
  }

  of = (resource: ResourceDefinition): Kind =>
    (resource.crd ? this.#custom.get(keyOf(resource)) : undefined) ?? this.#known(resource, resource.namespaced);

  shown = (resource: ResourceDefinition, stored: JsonObject): JsonObject => {
    const object = fromStorage(resource, stored);
    const kind = resource.crd ? this.#custom.get(keyOf(resource)) : undefined;
    if (!kind) return object;
    let known = this.#defaulted.get(kind);
    if (!known) {
      known = new WeakMap();
      this.#defaulted.set(kind, known);
    }
    let found = known.get(stored);
    if (!found) {
      const complete = kind.applyDefaults(object);
      found = jsonEqual(complete, object) ? object : deepFreeze(complete);
      known.set(stored, found);
    }
    return found;
  };

  named = (kind: GroupVersionKind): Kind => this.#known(kind, true);

  setCustom(resource: GroupVersionKind, kind: Kind | undefined): void {
    if (kind) this.#custom.set(keyOf(resource), kind);
    else this.#custom.delete(keyOf(resource));
  }

  #known(kind: GroupVersionKind, namespaced: boolean): Kind {
    const key = keyOf(kind);
    let found = this.#builtIn.get(key);
    if (!found) {
      const struct = this.#types.kind(apiVersionOf(kind), kind.kind);
      found = struct ? this.#made(kind, struct, namespaced) : permissiveKind(kind);
      this.#builtIn.set(key, found);
    }
    return found;
  }

  #made(kind: GroupVersionKind, struct: StructType, namespaced: boolean): Kind {
    const schema = this.#schemas.of(struct);
    if (kind.group === 'apiextensions.k8s.io' && kind.kind === 'CustomResourceDefinition') {
      return new DefinitionKind({ struct, schema }, this.cel);
    }
    return builtInKind(kind, struct, schema, namespaced, this.#rules, this.#expressions);
  }
}
