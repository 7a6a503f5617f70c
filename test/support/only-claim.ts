import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Condition } from '../../src/kube/objects.ts';
import { NodeClaims } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';

/** The one claim of the cluster as it is now. */
export async function onlyClaim({ client }: TestEnvironment): Promise<NodeClaim | undefined> {
  return (await client.list(NodeClaims)).items[0];
}

/** A condition of the one claim. */
export async function claimCondition(env: TestEnvironment, type: string): Promise<Condition | undefined> {
  return (await onlyClaim(env))?.status?.conditions?.find((condition) => condition.type === type);
}
