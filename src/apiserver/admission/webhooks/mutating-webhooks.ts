import { jsonEqual } from '../../../kube/json-equal.ts';
import { internalError } from '../../api-refusals.ts';
import { asObject, isObject } from '../../json.ts';
import type { Json, JsonObject } from '../../kind.ts';
import { applyJsonPatch, PatchError } from '../../patch/index.ts';
import { decodeObject } from '../../registry/decode-body.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import { type AdmissionAttributes, inOwnVersion, inVersionOf } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import type { AdmissionCompiler } from '../cel/admission-compiler.ts';
import type { Reinvocation } from '../reinvocation.ts';
import { callWebhook } from './call-webhook.ts';
import { ConfiguredWebhooks, type Webhook } from './configured-webhooks.ts';
import { WebhookCallError } from './webhook-errors.ts';

/** Lets the webhooks of MutatingWebhookConfigurations change what is written (apiserver webhook/mutating). */
export class MutatingWebhooks {
  readonly #deps: AdmissionDeps;
  readonly #configured: ConfiguredWebhooks;

  constructor(deps: AdmissionDeps, compiler: AdmissionCompiler) {
    this.#deps = deps;
    this.#configured = new ConfiguredWebhooks(deps, compiler, 'mutating');
  }

  /**
   * The object after all webhooks, one after the other. `again`: only those are called that asked to see later changes.
   *
   * @throws ApiError
   */
  async mutate(
    attributes: AdmissionAttributes,
    object: JsonObject,
    rounds: Reinvocation,
    again: boolean,
  ): Promise<JsonObject> {
    let now = object;
    for (const webhook of this.#configured.all()) {
      const current = attributes.operation === 'DELETE' ? attributes : { ...attributes, object: now };
      const matched = this.#configured.matched(webhook, current);
      if (matched === undefined || (again && !rounds.runsAgain(webhook.id))) continue;
      const changed = await this.#ask(webhook, current, matched, now);
      rounds.ran(webhook.id, {
        changed: !jsonEqual(changed, now),
        ifNeeded: webhook.entry.reinvocationPolicy === 'IfNeeded',
      });
      now = changed;
    }
    rounds.finish(now);
    return now;
  }

  async #ask(
    webhook: Webhook,
    attributes: AdmissionAttributes,
    matched: ResourceDefinition,
    object: JsonObject,
  ): Promise<JsonObject> {
    try {
      const { patch } = await callWebhook(this.#deps, webhook, attributes, matched, true);
      return patch === '' ? object : this.#patched(webhook, attributes, matched, patch);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (webhook.entry.failurePolicy !== 'Ignore') throw internalError(error.message);
      return object;
    }
  }

  #patched({ name }: Webhook, attributes: AdmissionAttributes, matched: ResourceDefinition, patch: string): JsonObject {
    const { object, request, resource, kind } = attributes;
    const operations = operationsOf(name, patch);
    if (object === undefined) {
      if (operations.length === 0) return {};
      const words = 'attempted to modify the object, which is not supported for this operation';
      throw internalError(`admission webhook ${JSON.stringify(name)} ${words}`);
    }
    if (operations.length === 0) return object;
    try {
      const patched = asObject(applyJsonPatch(inVersionOf(attributes, matched, object), operations));
      const own = inOwnVersion(attributes, matched, patched);
      const known = kind.kind === resource.kind ? this.#deps.kinds.of(resource) : this.#deps.kinds.named(kind);
      return decodeObject({ ...request, fieldValidation: 'Ignore' }, known, own);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      throw internalError(error.message);
    }
  }
}

const operationsOf = (webhook: string, patch: string): readonly Json[] => {
  try {
    const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString('utf8'));
    if (operations === null) return [];
    if (Array.isArray(operations) && operations.every(isObject)) return operations;
  } catch {
    // Said below.
  }
  throw new WebhookCallError(webhook, 'received undecodable patch in webhook response: it is no list of operations');
};
