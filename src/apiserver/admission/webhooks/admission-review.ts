import { asArray, asObject, asString, isObject } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import { type AdmissionAttributes, inVersionOf } from '../admission-attributes.ts';
import { requestFields } from '../request-fields.ts';

/** An answer that isn't one to the review that was sent. */
export class InvalidReviewError extends Error {
  override readonly name = 'InvalidReviewError';
}

/** The newest version that both sides know; undefined where there is none. */
export const reviewVersion = (versions: JsonObject[string]): 'v1' | 'v1beta1' | undefined =>
  asArray(versions).find((version): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1');

/** The AdmissionReview that a webhook gets (apiserver webhook/request/admissionreview.go). */
export const reviewOf = (
  attributes: AdmissionAttributes,
  matched: ResourceDefinition,
  version: string,
  uid: string,
): JsonObject => {
  const { object, old } = attributes;
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...requestFields(attributes, matched),
      object: object === undefined ? null : inVersionOf(attributes, matched, object),
      oldObject: old === undefined ? null : inVersionOf(attributes, matched, old),
    },
  };
};

export interface ReviewResponse {
  readonly allowed: boolean;
  /** Operations of a JSON patch; empty where nothing is to change. */
  readonly patch: string;
  readonly result: JsonObject;
  readonly warnings: readonly string[];
}

/** What a webhook answered. @throws InvalidReviewError */
export const readReview = (
  answer: JsonObject,
  { version, uid, mutating }: { readonly version: string; readonly uid: string; readonly mutating: boolean },
): ReviewResponse => {
  if (!isObject(answer.response)) throw new InvalidReviewError('webhook response was absent');
  const { response } = answer;
  const patch = asString(response.patch);
  if (version === 'v1') {
    check(answer, response, uid);
    checkPatch(response, patch, mutating);
  }
  return {
    allowed: response.allowed === true,
    patch: mutating ? patch : '',
    result: asObject(response.status),
    warnings: asArray(response.warnings).map(asString),
  };
};

const check = (answer: JsonObject, response: JsonObject, uid: string): void => {
  if (response.uid !== uid) {
    throw new InvalidReviewError(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(asString(response.uid))}`,
    );
  }
  const [apiVersion, kind] = [asString(answer.apiVersion), asString(answer.kind)];
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    throw new InvalidReviewError(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion || '/'}, Kind=${kind}`,
    );
  }
};

const checkPatch = ({ patchType }: JsonObject, patch: string, mutating: boolean): void => {
  const typed = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch !== '') throw new InvalidReviewError('validating webhook may not return response.patch');
    if (typed) throw new InvalidReviewError('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && !typed)
    throw new InvalidReviewError('webhook returned response.patch but not response.patchType');
  if (patch === '' && typed) throw new InvalidReviewError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidReviewError('webhook returned invalid response.patchType of ""');
};
