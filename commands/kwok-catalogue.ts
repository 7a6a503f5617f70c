import { KWOK_GROUP } from '../kwok-provider/apis/kwok-node-class.ts';
import {
  genericInstanceTypes,
  type InstanceTypeOptions,
  InstanceTypesError,
  parseInstanceTypes,
  toInstanceType,
  wellKnownLabelsOf,
} from '../kwok-provider/instance-types/index.ts';
import type { CatalogueSource } from '../src/cli/catalogue-names.ts';
import { readText } from '../src/cli/input/read-text.ts';
import { UserError } from '../src/cli/user-error.ts';
import type { ProviderRules } from '../src/explain/analysis.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';

export interface Catalogue {
  readonly instanceTypes: readonly InstanceType[];
  readonly rules: ProviderRules;
}

/** The instance types of a file in the kwok provider's format, of EC2, or the 144 built-in ones. Throws a UserError. */
export async function kwokCatalogue(source: CatalogueSource = {}): Promise<Catalogue> {
  const instanceTypes = (await typesOf(source)).map(toInstanceType);
  return {
    instanceTypes,
    rules: { wellKnownLabels: wellKnownLabelsOf(instanceTypes), restrictedLabelDomains: new Set([KWOK_GROUP]) },
  };
}

async function typesOf({ catalog, 'instance-types': file }: CatalogueSource): Promise<readonly InstanceTypeOptions[]> {
  if (file !== undefined) return await readCatalogue(file);
  if (catalog !== 'ec2:us-east-1') return genericInstanceTypes();
  // Its data is large, and most commands do without.
  const [{ EC2_US_EAST_1 }, { ec2InstanceTypes }] = await Promise.all([
    import('../kwok-provider/instance-types/ec2-catalogue.ts'),
    import('../kwok-provider/instance-types/ec2-instance-types.ts'),
  ]);
  return ec2InstanceTypes(EC2_US_EAST_1);
}

async function readCatalogue(file: string): Promise<readonly InstanceTypeOptions[]> {
  const text = await readText(file);
  try {
    return parseInstanceTypes(text);
  } catch (error) {
    if (!(error instanceof InstanceTypesError)) throw error;
    throw new UserError(`${file}: ${error.message}`, { code: 'KE1104', cause: error });
  }
}
