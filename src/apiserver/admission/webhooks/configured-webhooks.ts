import { forbidden } from '../../api-refusals.ts';
import { asObjects, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { metaOf, nameOf } from '../../object-meta.ts';
import { groupResourceOf, type ResourceDefinition } from '../../registry/resource-definition.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import { activationOf } from '../cel/activation.ts';
import type { AdmissionCompiler, CompiledExpression } from '../cel/admission-compiler.ts';
import { compileConditions, matchConditions } from '../cel/match-conditions.ts';
import { matchedResource, selectsNamespace, selectsObject } from '../request-rules.ts';

/** One entry of a webhook configuration. */
export interface Webhook {
  /** Tells it from all others, for as long as it is configured like this. */
  readonly id: string;
  readonly name: string;
  readonly entry: JsonObject;
}

/** All webhooks of one sort, by the names of their configurations. */
export class ConfiguredWebhooks {
  readonly #deps: AdmissionDeps;
  readonly #compiler: AdmissionCompiler;
  readonly #collection: string;
  readonly #conditions = new WeakMap<JsonObject, readonly CompiledExpression[]>();

  constructor(deps: AdmissionDeps, compiler: AdmissionCompiler, prefix: 'mutating' | 'validating') {
    this.#deps = deps;
    this.#compiler = compiler;
    this.#collection = `admissionregistration.k8s.io/${prefix}webhookconfigurations`;
  }

  all(): readonly Webhook[] {
    return this.#deps.store.list(this.#collection).flatMap(([, configuration]) => {
      const seen = new Map<string, number>();
      return asObjects(configuration.webhooks).map((entry) => {
        const name = asString(entry.name);
        const nth = seen.get(name) ?? 0;
        seen.set(name, nth + 1);
        return { id: `${nameOf(configuration)}/${asString(metaOf(configuration).uid)}/${name}/${nth}`, name, entry };
      });
    });
  }

  /** In which version a webhook is to see a request; undefined if it isn't to see it. @throws ApiError */
  matched({ entry }: Webhook, attributes: AdmissionAttributes): ResourceDefinition | undefined {
    if (!selectsObject(entry.objectSelector, attributes)) return undefined;
    const versionsOf = (resource: ResourceDefinition) => this.#deps.catalog.versionsOf(resource);
    const matched = matchedResource(entry.rules, entry.matchPolicy, attributes, versionsOf);
    if (matched === undefined || !selectsNamespace(entry.namespaceSelector, attributes)) return undefined;
    const conditions = this.#conditionsOf(entry);
    if (conditions.length === 0) return matched;
    const { decide } = this.#deps;
    const match = matchConditions(conditions, activationOf({ attributes, matched, withNamespace: false, decide }));
    if (!('error' in match)) return match.matches ? matched : undefined;
    if (entry.failurePolicy === 'Ignore') return undefined;
    throw forbidden(groupResourceOf(attributes.resource), attributes.name, match.error);
  }

  #conditionsOf(entry: JsonObject): readonly CompiledExpression[] {
    let found = this.#conditions.get(entry);
    if (found === undefined) {
      found = compileConditions(this.#compiler, entry.matchConditions, { authorizer: true });
      this.#conditions.set(entry, found);
    }
    return found;
  }
}
