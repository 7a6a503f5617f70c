import { KWOK_GROUP } from '../kwok-provider/apis/kwok-node-class.ts';
import { KWOK_WELL_KNOWN_LABELS } from '../kwok-provider/apis/labels.ts';
import {
  genericInstanceTypes,
  type InstanceTypeOptions,
  InstanceTypesError,
  parseInstanceTypes,
  toInstanceType,
} from '../kwok-provider/instance-types/index.ts';
import { readText } from '../src/cli/input/read-text.ts';
import { UserError } from '../src/cli/user-error.ts';
import type { ProviderRules } from '../src/explain/analysis.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';

export interface Catalogue {
  readonly instanceTypes: readonly InstanceType[];
  readonly rules: ProviderRules;
}

/** The instance types of a file in the kwok provider's format, or the 144 built-in ones. Throws a UserError. */
export async function kwokCatalogue(file: string | undefined): Promise<Catalogue> {
  const options = file === undefined ? genericInstanceTypes() : await readCatalogue(file);
  const instanceTypes = options.map(toInstanceType);
  const offered = instanceTypes.flatMap((type) => type.offerings.flatMap((o) => [...o.requirements.keys()]));
  return {
    instanceTypes,
    rules: {
      wellKnownLabels: new Set([...KWOK_WELL_KNOWN_LABELS, ...offered]),
      restrictedLabelDomains: new Set([KWOK_GROUP]),
    },
  };
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
