import type { NodeClaim } from '../../apis/node-claim.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { ANNOTATION_NODE_CLASS_HASH, ANNOTATION_NODE_CLASS_HASH_VERSION } from '../apis/labels.ts';

/** The class's own fields have changed; hashes of different versions say nothing of each other. */
export function isStaticallyDrifted({ metadata: claim }: NodeClaim, { metadata: nodeClass }: EC2NodeClass): boolean {
  const of = (key: string) => [claim.annotations?.[key], nodeClass.annotations?.[key]] as const;
  const [claimHash, classHash] = of(ANNOTATION_NODE_CLASS_HASH);
  const [claimVersion, classVersion] = of(ANNOTATION_NODE_CLASS_HASH_VERSION);
  const isKnown = ![claimHash, classHash, claimVersion, classVersion].includes(undefined);
  return isKnown && claimVersion === classVersion && claimHash !== classHash;
}
