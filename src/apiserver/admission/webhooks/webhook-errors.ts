import type { Status } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import { asNumber, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';

/** A webhook that couldn't be asked, or gave no proper answer: whether that refuses is for its failurePolicy. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
  }
}

/** The refusal of a webhook, with what it gave as its reason (apiserver webhook/errors.ToStatusErr). */
export function rejection(webhook: string, result: JsonObject): ApiError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = asString(result.message) || asString(result.reason);
  const code = asNumber(result.code);
  const status = asString(result.status);
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: status === '' || status === 'Success' ? 'Failure' : status,
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(result.reason ? { reason: result.reason } : {}),
    ...(result.details ? { details: result.details } : {}),
    code: Math.max(code, 400),
  } as Status);
}
