import { Flags } from '@oclif/core';
import { CATALOGUE_NAMES } from '../catalogue-names.ts';

export const catalogFlag = Flags.option({
  options: CATALOGUE_NAMES,
  description: "instance types that there are: kwok (144 made-up ones) or ec2:us-east-1 (EC2's, with prices)",
  helpValue: 'NAME',
});

/** Which instance types there are. */
export const catalogueFlags = {
  catalog: catalogFlag({ exclusive: ['instance-types'] }),
  'instance-types': Flags.string({
    description: "instance types that there are, in the kwok provider's file format",
    helpValue: 'FILE',
  }),
};
