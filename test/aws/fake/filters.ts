import type { Filter, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { awsError } from '../scripted-api.ts';

export type Tags = Readonly<Record<string, string>>;

/** Fields that a filter of EC2 may name; a field that a thing lacks has no values. */
export type Fields = Readonly<Record<string, readonly (string | undefined)[]>>;

/** Whether a thing with these fields and tags passes all filters; a filter that nobody knows is EC2's error. */
export function passes(filters: readonly Filter[] | undefined, fields: Fields, tags: Tags = {}): boolean {
  return (filters ?? []).every(({ Name = '', Values = [] }) => {
    const values = valuesOf(Name, fields, tags);
    return values.some((value) => value !== undefined && Values.some((pattern) => isLike(value, pattern)));
  });
}

function valuesOf(name: string, fields: Fields, tags: Tags): readonly (string | undefined)[] {
  if (name === 'tag-key') return Object.keys(tags);
  if (name.startsWith('tag:')) return [tags[name.slice('tag:'.length)]];
  const values = fields[name];
  if (!values) throw awsError('InvalidParameterValue', `The filter '${name}' is invalid`);
  return values;
}

function isLike(value: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(value);
}

export function toTags(tags: Tags): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

export function fromTags(tags: readonly Tag[] | undefined): Record<string, string> {
  return Object.fromEntries((tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
}

/** The tags that a request gives to a kind of resource. */
export function tagsFor(specifications: readonly TagSpecification[] | undefined, resource: string): Tags {
  return Object.assign(
    {},
    ...(specifications ?? []).filter((tags) => tags.ResourceType === resource).map((tags) => fromTags(tags.Tags)),
  );
}
