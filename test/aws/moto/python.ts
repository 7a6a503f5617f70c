import { join } from 'node:path';
import { pythonWith } from '../../../hack/python-packages.ts';

/** A Python that has moto. */
export function motoPython(): string {
  const python = pythonWith('aws');
  if ('problem' in python) throw new Error(`there is no moto: ${python.problem}`);
  return join(python.bin, 'python');
}
