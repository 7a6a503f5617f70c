/** What the fake cloud can sell without a file: `--catalog`. */
export const CATALOGUE_NAMES = ['kwok', 'ec2:us-east-1'] as const;

/** Where instance types come from; kwok's when nothing is given. */
export interface CatalogueSource {
  readonly catalog?: (typeof CATALOGUE_NAMES)[number] | undefined;
  /** A file in the kwok provider's format. */
  readonly 'instance-types'?: string | undefined;
}
