import type { ControllerContext } from '../../../../controllers/context.ts';
import { HashStamp } from '../../../../controllers/hash-stamp.ts';
import { BY_NODE_CLASS, nodeClassKey } from '../../../../controllers/indexes.ts';
import type { Objects } from '../../../../controllers/objects.ts';
import { tolerant } from '../../../../controllers/tolerant.ts';
import { type ControllerSpec, reads, watch } from '../../../../kube/controller.ts';
import { NodeClaims } from '../../../../kube/resources.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import { ec2NodeClassHash, HASH_VERSION } from '../../../apis/hash/ec2-node-class-hash.ts';
import { ANNOTATION_NODE_CLASS_HASH, ANNOTATION_NODE_CLASS_HASH_VERSION } from '../../../apis/labels.ts';

export interface NodeClassHashDeps extends Pick<ControllerContext, 'nodeClaims'> {
  readonly nodeClasses: Objects<EC2NodeClass>;
  /** Base64: nodes trust it, so another one is a change of theirs. */
  readonly caBundle: string;
}

const STAMP = new HashStamp(
  { hash: ANNOTATION_NODE_CLASS_HASH, version: ANNOTATION_NODE_CLASS_HASH_VERSION },
  HASH_VERSION,
);

/** Stamps classes with the hash that claims are compared with to find drift (aws-provider.md section 8). */
export class NodeClassHash implements ControllerSpec {
  readonly name = 'nodeclass.hash';
  readonly watches = [watch(Ec2NodeClasses), reads(NodeClaims)];
  readonly #deps: NodeClassHashDeps;

  constructor(deps: NodeClassHashDeps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClasses, nodeClaims, caBundle } = this.#deps;
    const nodeClass = nodeClasses.get(key);
    if (!nodeClass) return undefined;
    return await tolerant(async () => {
      const hash = ec2NodeClassHash(nodeClass, caBundle);
      if (!STAMP.hasVersion(nodeClass)) {
        const { name } = nodeClass.metadata;
        const claims = nodeClaims.byIndex(BY_NODE_CLASS, nodeClassKey({ ...Ec2NodeClasses, name }));
        await STAMP.restamp(nodeClaims, claims, hash, signal);
      }
      await nodeClasses.patch(nodeClass, STAMP.stamped(nodeClass, hash), {}, signal);
      return undefined;
    });
  }
}
