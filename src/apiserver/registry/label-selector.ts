import { SelectorError } from '../../kube/label-requirement.ts';
import { type LabelMatcher, matchesRequirements, parseLabelSelector } from '../../kube/selectors.ts';
import { badRequest } from '../api-refusals.ts';

/** A parser's refusal as the API's: 400 BadRequest with the same words. */
export function refusingSelectors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}

/** The test that a request's `labelSelector` asks for. Throws ApiError 400 in the words of apimachinery. */
export function requestedLabels(text: string): LabelMatcher {
  const requirements = refusingSelectors(() => parseLabelSelector(text));
  return (labels) => matchesRequirements(requirements, labels);
}
