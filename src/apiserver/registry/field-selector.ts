import { parseFieldSelector as parseFieldTerms } from '../../kube/field-selector.ts';
import { badRequest } from '../api-refusals.ts';
import { at } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { refusingSelectors } from './label-selector.ts';
import type { ResourceDefinition } from './resource-definition.ts';

export interface FieldSelector {
  /** Of an object as it is stored. */
  readonly matches: (object: JsonObject) => boolean;
  /** The name that a match must have, so that one object is enough to look at. */
  readonly name: string | undefined;
}

const always: Readonly<Record<string, readonly string[]>> = {
  'metadata.name': ['metadata', 'name'],
  'metadata.namespace': ['metadata', 'namespace'],
};

/** Resources whose selectable fields upstream lists by hand refuse others in these words. */
const handWritten = new Set([
  'pods',
  'nodes',
  'namespaces',
  'events',
  'secrets',
  'services',
  'replicationcontrollers',
  'jobs',
  'certificatesigningrequests',
]);

/**
 * Parses a field selector (`spec.nodeName=a,status.phase!=Failed`) for a resource. Throws ApiError 400 for syntax and
 * for fields the resource can't be selected by.
 */
export function parseFieldSelector(text: string, resource: ResourceDefinition): FieldSelector {
  const terms = refusingSelectors(() => parseFieldTerms(text));
  const paths = { ...always, ...(selectableInPractice(resource) ?? {}) };
  const tests = terms.map(({ field, operator, value }) => {
    const path = Object.hasOwn(paths, field) ? paths[field] : undefined;
    if (!path) throw badRequest(unsupported(resource, field));
    return (object: JsonObject): boolean =>
      (printed(resource, field, at(object, ...path)) === value) === (operator === '=');
  });
  return {
    matches: (object) => tests.every((test) => test(object)),
    name: terms.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value,
  };
}

const selectableInPractice = (resource: ResourceDefinition) =>
  resource.plural === 'replicasets' && resource.group === 'apps' ? undefined : resource.selectableFields;

function unsupported(resource: ResourceDefinition, field: string): string {
  if (resource.crd) return `field label not supported: ${field}`;
  if (handWritten.has(resource.plural)) return `field label not supported: ${field}`;
  const known = ['metadata.name', 'metadata.namespace'].map((name) => `"${name}"`).join(', ');
  return `"${field}" is not a known field selector: only ${known}`;
}

/** As upstream prints the value of a field for comparison; a missing one as its type's zero value. */
function printed(resource: ResourceDefinition, field: string, value: unknown): string {
  if (value === undefined || value === null) {
    if (field === 'spec.unschedulable' || field === 'spec.hostNetwork') return 'false';
    if (field === 'status.successful' || field === 'status.replicas') return '0';
    if (field === 'metadata.namespace') return '';
    if (field === 'reportingComponent' && resource.group === '') return '';
    return '';
  }
  return String(value);
}
