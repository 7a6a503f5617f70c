import type { Filter } from '@aws-sdk/client-ec2';

type Tags = Readonly<Record<string, string>>;

/** Tags as AWS takes them. */
export function tagList(tags: Tags): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** Tags as AWS answers them. */
export function tagsOf(list: readonly { readonly Key?: string; readonly Value?: string }[] | undefined): Tags {
  return Object.fromEntries((list ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
}

/** Filters of a selector term's tags, all of which hold; `*` asks for any value (aws-provider.md section 4). */
export function tagFilters(tags: Tags): Filter[] {
  return Object.entries(tags).map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
}
