import { AWS_GROUP, type EC2NodeClass, Ec2NodeClasses } from './apis/ec2-node-class.ts';
import type { NodeClassReader } from './providers/contracts.ts';

/** The class is not there, or on its way out, which comes to the same (aws-provider.md 32.13). */
export class NodeClassMissingError extends Error {
  override readonly name = 'NodeClassMissingError';
}

const RESOURCE = `${Ec2NodeClasses.plural}.${AWS_GROUP}`;

/** @throws NodeClassMissingError */
export async function resolveNodeClass(
  reader: NodeClassReader,
  name: string,
  signal?: AbortSignal,
): Promise<EC2NodeClass> {
  const nodeClass = await reader.get(name, signal);
  if (!nodeClass) throw new NodeClassMissingError(`${RESOURCE} "${name}" not found`);
  if (!nodeClass.metadata.deletionTimestamp) return nodeClass;
  throw new NodeClassMissingError(`${RESOURCE} "${name}" is terminating, treating as not found`);
}
