import { internalError } from '../../api-refusals.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import type { AdmissionCompiler } from '../cel/admission-compiler.ts';
import { callWebhook } from './call-webhook.ts';
import { ConfiguredWebhooks, type Webhook } from './configured-webhooks.ts';
import { WebhookCallError } from './webhook-errors.ts';

/** Puts requests before the webhooks of ValidatingWebhookConfigurations (apiserver webhook/validating). */
export class ValidatingWebhooks {
  readonly #deps: AdmissionDeps;
  readonly #configured: ConfiguredWebhooks;

  constructor(deps: AdmissionDeps, compiler: AdmissionCompiler) {
    this.#deps = deps;
    this.#configured = new ConfiguredWebhooks(deps, compiler, 'validating');
  }

  /** Asks all that are concerned beside each other. @throws ApiError with the first refusal. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const concerned = this.#configured.all().flatMap((webhook) => {
      const matched = this.#configured.matched(webhook, attributes);
      return matched === undefined ? [] : [{ webhook, matched }];
    });
    const answers = await Promise.allSettled(
      concerned.map(({ webhook, matched }) => this.#ask(webhook, attributes, matched)),
    );
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  }

  async #ask(webhook: Webhook, attributes: AdmissionAttributes, matched: ResourceDefinition): Promise<void> {
    try {
      await callWebhook(this.#deps, webhook, attributes, matched, false);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (webhook.entry.failurePolicy !== 'Ignore') throw internalError(error.message);
    }
  }
}
