const GO_NAMES: Readonly<Record<string, string>> = {
  null: 'null_type',
  list: 'list(dyn)',
  map: 'map(dyn, dyn)',
  optional: 'optional_type(dyn)',
};

/** A type of cel-js as cel-go prints it: `list(int)` for `list<int>`. */
export const goTypeName = (type: string): string => {
  const nested = /^(list|map|optional)<(.*)>$/.exec(type);
  if (nested === null) return GO_NAMES[type] ?? type;
  const [, outer = '', inner = ''] = nested;
  const name = outer === 'optional' ? 'optional_type' : outer;
  return `${name}(${goTypeNames(inner)})`;
};

/** The same for types separated by commas. */
export const goTypeNames = (types: string): string =>
  types === '' ? '' : splitTypes(types).map(goTypeName).join(', ');

const splitTypes = (text: string): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
      continue;
    }
    if (char === '<') depth++;
    if (char === '>') depth--;
    part += char;
  }
  return [...parts, part.trim()];
};
