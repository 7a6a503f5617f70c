import type { JsonObject } from '../kind.ts';
import { type Completion, each, fill, within, withinPresent } from './fill.ts';

/** Webhook configurations and admission policies (admissionregistration/v1/defaults.go). */

const rule: Completion = (object) => fill(object, { scope: '*' });

const clientConfig: Completion = (config) =>
  withinPresent(config, 'service', (service) => fill(service, { port: 443 }));

const completeWebhook =
  (more: JsonObject): Completion =>
  (webhook) => {
    const filled = fill(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...more,
    });
    return each(within(filled, 'clientConfig', clientConfig), 'rules', rule);
  };

export const completeValidatingWebhooks: Completion = (object) => each(object, 'webhooks', completeWebhook({}));

export const completeMutatingWebhooks: Completion = (object) =>
  each(object, 'webhooks', completeWebhook({ reinvocationPolicy: 'Never' }));

const matchResources: Completion = (resources) => {
  const filled = fill(resources, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  return each(each(filled, 'resourceRules', rule), 'excludeResourceRules', rule);
};

export const completePolicy: Completion = (policy) =>
  within(policy, 'spec', (spec) =>
    withinPresent(fill(spec, { failurePolicy: 'Fail' }), 'matchConstraints', matchResources),
  );

export const completePolicyBinding: Completion = (binding) =>
  within(binding, 'spec', (spec) => withinPresent(spec, 'matchResources', matchResources));
