import type { ListOptions, ObjectRef, Resource, WatchOptions, WriteOptions } from './client.ts';

const segment = encodeURIComponent;

/** Path of a collection, or of an object and its subresource, below the server's base URL. */
export function resourcePath(resource: Resource, ref: Partial<ObjectRef>, subresource?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && ref.namespace ? `/namespaces/${segment(ref.namespace)}` : '';
  const name = ref.name ? `/${segment(ref.name)}` : '';
  return `${root}${scope}/${resource.plural}${name}${subresource ? `/${subresource}` : ''}`;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=b`, leaving out what is undefined; empty without any parameter. */
export function queryString(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

export const listQuery = ({ namespace: _, ...options }: ListOptions | WatchOptions): Query => ({ ...options });

export const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query => ({
  ...(dryRun && { dryRun: 'All' }),
  fieldManager,
  fieldValidation,
});
