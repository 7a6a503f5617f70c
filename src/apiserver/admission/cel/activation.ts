import { evaluationWords } from '../../crd/cel/evaluation-words.ts';
import { asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { metaOf } from '../../object-meta.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import { type AdmissionAttributes, inVersionOf } from '../admission-attributes.ts';
import { requestFields } from '../request-fields.ts';
import type { CompiledExpression } from './admission-compiler.ts';
import { Authorizer, type Decide } from './authorizer-values.ts';
import { fromJson } from './json-values.ts';

export interface Inputs {
  readonly attributes: AdmissionAttributes;
  /** The version that rules matched, which `object` and `oldObject` are in. */
  readonly matched: ResourceDefinition;
  readonly params?: JsonObject | undefined;
  /** Match conditions see no namespace. */
  readonly withNamespace: boolean;
  readonly decide: Decide;
}

export type Activation = Readonly<Record<string, unknown>>;

const NAMESPACE_META = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
];

const shownNamespace = ({ objects, resource, namespace }: AdmissionAttributes): JsonObject | undefined => {
  if (namespace === '' || resource.collection === 'namespaces') return undefined;
  const found = objects.get('namespaces', '', namespace);
  if (found === undefined) return undefined;
  const meta = metaOf(found);
  const kept = NAMESPACE_META.filter((name) => meta[name] !== undefined).map((name) => [name, meta[name]]);
  return { metadata: Object.fromEntries(kept), spec: found.spec ?? {}, status: found.status ?? {} };
};

/** The values of an expression's variables, but for `variables`. */
export const activationOf = ({ attributes, matched, params, withNamespace, decide }: Inputs): Activation => {
  const { object, old, request, resource, subresource, namespace, name } = attributes;
  const value = (one: JsonObject | undefined): unknown =>
    one === undefined ? null : fromJson(inVersionOf(attributes, matched, one));
  const about = {
    type: 'resource',
    group: resource.group,
    plural: resource.plural,
    subresource,
    namespace,
    name,
  } as const;
  return {
    object: value(object),
    oldObject: value(old),
    request: fromJson(requestFields(attributes, matched)),
    namespaceObject: fromJson(withNamespace ? (shownNamespace(attributes) ?? {}) : {}),
    params: params === undefined ? null : fromJson(params),
    authorizer: new Authorizer(decide, request.user, about),
  };
};

export type Outcome = { readonly value: unknown } | { readonly error: string };

/** Runs an expression; what goes wrong comes back in kube-apiserver's words. */
export const evaluate = ({ expression, run }: CompiledExpression, activation: Activation): Outcome => {
  try {
    return { value: run(activation) };
  } catch (error) {
    return { error: `expression '${expression}' resulted in error: ${evaluationWords(error)}` };
  }
};

/** The text of a message expression, where it gives one that may be shown. */
export const messageOf = (outcome: Outcome | undefined, longest: number): string => {
  if (outcome === undefined || 'error' in outcome) return '';
  const text = asString(outcome.value).trim();
  return Buffer.byteLength(text) > longest || text.includes('\n') ? '' : text;
};
