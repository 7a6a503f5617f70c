import { badRequest, invalid } from '../api-refusals.ts';
import type { FieldError } from '../kind.ts';

/** ListOptions of apimachinery, for list, watch and deletecollection; strings as in the query. */
export interface ListQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

const forbid = (field: string, why: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
});

/** Refuses combinations that mean nothing, as apimachinery's ValidateListOptions does. */
export function checkListQuery(query: ListQuery, watch: boolean): void {
  const { resourceVersion = '', resourceVersionMatch = '', sendInitialEvents } = query;
  const errors: FieldError[] = [];
  if (watch) {
    if (sendInitialEvents !== undefined && resourceVersionMatch === '') {
      errors.push(
        forbid('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      );
    }
    if (sendInitialEvents === undefined && resourceVersionMatch !== '') {
      errors.push(
        forbid(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    }
    if (sendInitialEvents !== undefined && resourceVersionMatch !== '' && resourceVersionMatch !== 'NotOlderThan') {
      errors.push(notSupported(resourceVersionMatch, '"NotOlderThan"'));
    }
    if (query.continue)
      errors.push(forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  } else {
    if (resourceVersionMatch !== '') {
      if (resourceVersion === '') {
        errors.push(
          forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
        );
      }
      if (query.continue) {
        errors.push(forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
      }
      if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan') {
        errors.push(notSupported(resourceVersionMatch, '"Exact", "NotOlderThan"'));
      }
      if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
        errors.push(
          forbid('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
        );
      }
    }
    if (sendInitialEvents !== undefined) {
      errors.push(forbid('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
    }
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

const notSupported = (value: string, known: string): FieldError => ({
  type: 'FieldValueNotSupported',
  field: 'resourceVersionMatch',
  message: `Unsupported value: "${value}": supported values: ${known}`,
});

/** A resource version of a query as a number; 0 for none. Throws ApiError 400. */
export function parseResourceVersion(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
  );
}
