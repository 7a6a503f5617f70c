import builtin from './builtin.generated.json' with { type: 'json' };

/**
 * The generated table of built-in types, as hack/generate-types writes it.
 *
 * `kinds` maps a group version (`apps/v1`) and a kind to a type. A type is named by its package and name, as OpenAPI does,
 * without the leading `io.k8s.`: `api.apps.v1.Deployment`. Inside its own package the name alone will do.
 *
 * `types` maps a package to its types: a text is the underlying Go type, a list the fields of a struct in Go's order, with
 * inlined structs resolved. `@atomic` in front of the fields marks a struct that has one owner. A field is a line of words:
 *
 *     name type number [o] [z] [r] [i=Inlined.Structs] [p=patchStrategy] [k=patchMergeKey] [l=listType[:keys]]
 *     [m=mapType] [e=Enum,Values] [d=default as JSON]
 *
 * `number` is protobuf's; inside an inlined struct that is a message of its own it has a dot (`2.19`), and 0 means that
 * protobuf doesn't know the field. `o` is omitempty, `z` omitzero, `r` required in OpenAPI. The type is written as in Go,
 * with a word of its own for each type that has its own JSON form (`time`, `quantity`, `intstr`, `raw`, …).
 */
export interface TypeTable {
  readonly kinds: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The table of Kubernetes v1.36's types. */
export const builtinTable: TypeTable = builtin as unknown as TypeTable;
