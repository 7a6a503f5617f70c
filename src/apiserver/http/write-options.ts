import { invalid } from '../api-refusals.ts';
import { managerName } from '../apply/index.ts';
import { asArray, asObject, asString } from '../json.ts';
import type { FieldError, JsonObject } from '../kind.ts';
import type { DeleteQuery } from '../registry/delete-object.ts';
import type { WriteRequest } from '../registry/request.ts';
import { integer, truth } from './list-query.ts';

type Options = Pick<WriteRequest, 'fieldManager' | 'fieldValidation' | 'dryRun'>;

const validations = ['Ignore', 'Warn', 'Strict'] as const;

/** CreateOptions, UpdateOptions or PatchOptions from a query. Throws ApiError 422. */
export function writeOptions(query: URLSearchParams, userAgent: string, kind: string, apply: boolean): Options {
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  if (kind === 'PatchOptions') {
    if (!apply && query.get('force') !== null) {
      errors.push({
        type: 'FieldValueForbidden',
        field: 'force',
        message: 'Forbidden: may not be specified for non-apply patch',
      });
    }
    if (apply && !manager) {
      errors.push({
        type: 'FieldValueRequired',
        field: 'fieldManager',
        message: 'Required value: is required for apply patch',
      });
    }
  }
  if (manager.length > 128) {
    errors.push({
      type: 'FieldValueTooLong',
      field: 'fieldManager',
      message: 'Too long: may not be more than 128 bytes',
    });
  }
  errors.push(...dryRunErrors(dryRun));
  if (validation && !validations.some((known) => known === validation)) {
    errors.push({
      type: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: "${validation}": supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: managerName(manager, userAgent) || 'unknown',
    fieldValidation: validations.find((known) => known === validation) ?? 'Warn',
  };
}

function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  if (dryRun.every((value) => value === 'All')) return [];
  const shown = dryRun.length === 1 ? `["${dryRun[0]}"]` : `[${dryRun.map((value) => `"${value}"`).join(',')}]`;
  return [
    {
      type: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${shown}: supported values: "All"`,
    },
  ];
}

/** DeleteOptions from the body if there is one, else from the query. Throws ApiError. */
export function deleteOptions(
  query: URLSearchParams,
  body: JsonObject | undefined,
): { readonly dryRun: boolean; readonly query: DeleteQuery } {
  const given = body ?? fromQuery(query);
  const dryRun = [...asArray(given.dryRun).map(asString)];
  const errors = dryRunErrors(dryRun);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const preconditions = asObject(given.preconditions);
  return {
    dryRun: dryRun.length > 0,
    query: {
      ...(typeof given.gracePeriodSeconds === 'number' ? { gracePeriodSeconds: given.gracePeriodSeconds } : {}),
      ...(typeof given.propagationPolicy === 'string' ? { propagationPolicy: given.propagationPolicy } : {}),
      ...(typeof given.orphanDependents === 'boolean' ? { orphanDependents: given.orphanDependents } : {}),
      preconditions: {
        ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
        ...(typeof preconditions.resourceVersion === 'string'
          ? { resourceVersion: preconditions.resourceVersion }
          : {}),
      },
    },
  };
}

function fromQuery(query: URLSearchParams): JsonObject {
  const grace = integer(query, 'gracePeriodSeconds');
  const orphan = truth(query, 'orphanDependents');
  const policy = query.get('propagationPolicy');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    ...(policy ? { propagationPolicy: policy } : {}),
    dryRun: query.getAll('dryRun'),
  };
}
