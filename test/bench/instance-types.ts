import { readFileSync } from 'node:fs';
import { genericInstanceTypes, parseInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import type { InstanceType } from '../../src/scheduling/index.ts';

/** The types in the file; the made-up ones when there is none. */
export function instanceTypesFrom(file: string | undefined): InstanceType[] {
  return (file ? parseInstanceTypes(readFileSync(file, 'utf8')) : genericInstanceTypes()).map(toInstanceType);
}
