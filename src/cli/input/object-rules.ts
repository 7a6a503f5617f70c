import { CORE_DEFINITIONS } from '../../apis/crds/index.ts';
import { CustomResourceKind } from '../../apiserver/crd/custom-resource-kind.ts';
import type { JsonObject } from '../../apiserver/kind.ts';
import type { KubeObject } from '../../kube/objects.ts';

/** Everything that the API checks of Karpenter's kinds before it stores an object: schema, rules, metadata. */
export class ObjectRules {
  readonly #kinds = new Map<string, CustomResourceKind>();

  /**
   * Why the API would refuse to create the object, or to change `stored` into it, each with its field and in the API's
   * words; empty when it would take it. The status is left out, as a client's is. Unknown fields are refused as kubectl
   * has them refused.
   */
  async refusals(object: KubeObject, stored?: KubeObject): Promise<readonly string[]> {
    const { unknown, broken } = await this.#check(object, stored);
    return [...unknown.map((words) => `strict decoding error: ${words}`), ...broken];
  }

  /** `refusals` of an object that may be of another version of its kind, with fields that are unknown here. */
  async brokenRules(object: KubeObject): Promise<readonly string[]> {
    return (await this.#check(object, undefined)).broken;
  }

  async #check(object: KubeObject, stored: KubeObject | undefined) {
    const kind = this.#kindOf(object);
    if (!kind) return { unknown: [], broken: [] };
    await kind.prepare();
    const { object: decoded, unknown } = kind.decode(sent(object, kind.namespaced));
    const complete = kind.applyDefaults(decoded);
    const errors = stored
      ? kind.validateUpdate(complete, kind.applyDefaults(kind.decode(sent(stored, kind.namespaced)).object), '')
      : kind.validateCreate(complete);
    return { unknown, broken: errors.map(({ field, message }) => `${field}: ${message}`) };
  }

  #kindOf({ apiVersion = '', kind = '' }: KubeObject): CustomResourceKind | undefined {
    const key = `${apiVersion} ${kind}`;
    const known = this.#kinds.get(key);
    if (known) return known;
    const definition = CORE_DEFINITIONS.find(({ spec }) => spec.names.kind === kind);
    const version = definition?.spec.versions.find(({ name }) => `${definition.spec.group}/${name}` === apiVersion);
    if (!definition || !version) return undefined;
    const made = new CustomResourceKind(definition, version.name);
    this.#kinds.set(key, made);
    return made;
  }
}

/** As a client sends it, with what an update has to carry. */
function sent({ metadata, ...rest }: KubeObject, namespaced: boolean): JsonObject {
  const { status: _, ...body } = rest as Omit<KubeObject, 'metadata'> & { readonly status?: unknown };
  const { name, namespace = 'default', labels, annotations } = metadata;
  const sentMetadata = {
    name,
    ...(namespaced ? { namespace } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    uid: 'stored',
    resourceVersion: '1',
  };
  return { ...body, metadata: sentMetadata } as unknown as JsonObject;
}
