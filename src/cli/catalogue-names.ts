/** What the fake cloud can sell without a file: `--catalog`. */
export const CATALOGUE_NAMES = ['kwok', 'ec2:us-east-1'] as const;

/** Besides, readers of a cluster on EC2 can ask AWS. */
export const READ_CATALOGUE_NAMES = [...CATALOGUE_NAMES, 'aws'] as const;

/** Where instance types come from; kwok's when nothing is given. */
export interface CatalogueSource {
  readonly catalog?: (typeof CATALOGUE_NAMES)[number] | undefined;
  /** A file in the kwok provider's format. */
  readonly 'instance-types'?: string | undefined;
}

/** The same for readers. */
export interface ReadCatalogueSource {
  readonly catalog?: (typeof READ_CATALOGUE_NAMES)[number] | undefined;
  readonly 'instance-types'?: string | undefined;
  /** The AWS region, where nodes and subnets don't tell. */
  readonly region?: string | undefined;
}
