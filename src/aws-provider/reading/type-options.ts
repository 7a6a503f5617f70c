import { FLOAT, INTEGER, OptionReader, type OptionValues } from '../../operator/option-reader.ts';
import { type AwsOptions, DEFAULT_AWS_OPTIONS } from '../aws-options.ts';

/** The controller's options that types depend on, from the environment: nothing in a cluster tells of them. */
export function typeOptions(environment: OptionValues): Pick<AwsOptions, 'vmMemoryOverheadPercent' | 'reservedENIs'> {
  const options = new OptionReader({}, environment);
  const { vmMemoryOverheadPercent, reservedENIs } = DEFAULT_AWS_OPTIONS;
  return {
    vmMemoryOverheadPercent: options.read('vm-memory-overhead-percent', FLOAT, vmMemoryOverheadPercent),
    reservedENIs: options.read('reserved-enis', INTEGER, reservedENIs),
  };
}
