/** A list of resource names to quantities as strings, for example `{cpu: '500m', memory: '1Gi'}`. */
export type ResourceList = Readonly<Record<string, string>>;

export interface ResourceRequirements {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
  readonly claims?: readonly { readonly name: string }[];
}
