export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

/** Texts are our own; everything else has to be equal, whatever the order of keys. */
export const withoutTexts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, item]) => name !== 'description' || typeof item !== 'string');
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutTexts(item)]));
};

export const namesOf = (definitions: readonly Definition[]): readonly string[] =>
  definitions.map(({ metadata }) => metadata.name).sort();
