import { Flags } from '@oclif/core';
import { CATALOGUE_NAMES, READ_CATALOGUE_NAMES } from '../catalogue-names.ts';

export const catalogFlag = Flags.option({
  options: CATALOGUE_NAMES,
  description: "instance types that there are: kwok (144 made-up ones) or ec2:us-east-1 (EC2's, with prices)",
  helpValue: 'NAME',
});

const instanceTypes = Flags.string({
  description: "instance types that there are, in the kwok provider's file format",
  helpValue: 'FILE',
});

/** Which instance types there are. */
export const catalogueFlags = {
  catalog: catalogFlag({ exclusive: ['instance-types'] }),
  'instance-types': instanceTypes,
};

/** Which instance types a cluster is reckoned with. */
export const readCatalogueFlags = {
  catalog: Flags.option({
    options: READ_CATALOGUE_NAMES,
    description: 'instance types that there are: kwok (made-up ones), ec2:us-east-1, or for EC2NodeClasses aws',
    helpValue: 'NAME',
    exclusive: ['instance-types'],
  })(),
  'instance-types': instanceTypes,
  region: Flags.string({ description: "AWS region of the cluster, where it doesn't tell itself", helpValue: 'NAME' }),
};
