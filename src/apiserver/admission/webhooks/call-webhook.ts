import { badRequest } from '../../api-refusals.ts';
import { asNumber, asObject } from '../../json.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import { InvalidReviewError, type ReviewResponse, readReview, reviewOf, reviewVersion } from './admission-review.ts';
import type { Webhook } from './configured-webhooks.ts';
import { postReview, ReviewError } from './post-review.ts';
import { rejection, WebhookCallError } from './webhook-errors.ts';

/** How long a webhook may take that doesn't say, in seconds. */
const USUAL_TIMEOUT = 10;

/**
 * Asks one webhook about one request. Resolves to what it answered if it allows it.
 *
 * @throws ApiError where it refuses. @throws WebhookCallError where it gives no proper answer.
 */
export async function callWebhook(
  deps: AdmissionDeps,
  { name, entry }: Webhook,
  attributes: AdmissionAttributes,
  matched: ResourceDefinition,
  mutating: boolean,
): Promise<ReviewResponse> {
  if (attributes.request.dryRun && entry.sideEffects !== 'None' && entry.sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const version = reviewVersion(entry.admissionReviewVersions);
  if (version === undefined) {
    const words = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new WebhookCallError(name, `could not create admission objects: ${words}`);
  }
  const uid = deps.random.uuid();
  const review = reviewOf(attributes, matched, version, uid);
  const seconds = asNumber(entry.timeoutSeconds) || USUAL_TIMEOUT;
  let response: ReviewResponse;
  try {
    const answer = await postReview(deps, asObject(entry.clientConfig), review, seconds);
    response = readReview(answer, { version, uid, mutating });
  } catch (error) {
    if (error instanceof ReviewError) throw new WebhookCallError(name, `failed to call webhook: ${error.message}`);
    if (!(error instanceof InvalidReviewError)) throw error;
    throw new WebhookCallError(name, `received invalid webhook response: ${error.message}`);
  }
  for (const text of response.warnings) attributes.request.warn(text);
  if (!response.allowed) throw rejection(name, response.result);
  return response;
}
