/** How field names are written in CEL where they are no identifiers (apiserver cel/escaping.go). */

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The identifier under which CEL knows a field, or undefined where it can't be named at all. */
export const celIdentifier = (name: string): string | undefined => {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
};
