import { DRIFTED } from '../../../../apis/condition-types.ts';
import type { NodeClaim } from '../../../../apis/node-claim.ts';
import type { ControllerContext } from '../../../../controllers/context.ts';
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

/** Stamps classes with the hash that claims are compared with to find drift (aws-provider.md section 8). */
export class NodeClassHash implements ControllerSpec {
  readonly name = 'nodeclass.hash';
  readonly watches = [watch(Ec2NodeClasses), reads(NodeClaims)];
  readonly #deps: NodeClassHashDeps;

  constructor(deps: NodeClassHashDeps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClasses, caBundle } = this.#deps;
    const nodeClass = nodeClasses.get(key);
    if (!nodeClass) return undefined;
    return await tolerant(async () => {
      const hash = ec2NodeClassHash(nodeClass, caBundle);
      if (!hasVersion(nodeClass)) await this.#restampClaims(nodeClass, hash, signal);
      await nodeClasses.patch(nodeClass, stamped(nodeClass, hash), {}, signal);
      return undefined;
    });
  }

  /**
   * The hash is made otherwise than when the claims were launched, so theirs says nothing any more: they take the
   * class's. A claim that had drifted keeps its hash, and so its drift.
   */
  async #restampClaims({ metadata }: EC2NodeClass, hash: string, signal: AbortSignal): Promise<void> {
    const { nodeClaims } = this.#deps;
    for (const claim of nodeClaims.byIndex(BY_NODE_CLASS, nodeClassKey({ ...Ec2NodeClasses, name: metadata.name }))) {
      if (hasVersion(claim)) continue;
      const isDrifted = claim.status?.conditions?.some(({ type }) => type === DRIFTED);
      await tolerant(async () => {
        await nodeClaims.patch(claim, stamped(claim, isDrifted ? undefined : hash), {}, signal);
        return undefined;
      });
    }
  }
}

type Stamped = NodeClaim | EC2NodeClass;

const hasVersion = ({ metadata }: Stamped): boolean =>
  metadata.annotations?.[ANNOTATION_NODE_CLASS_HASH_VERSION] === HASH_VERSION;

function stamped<T extends Stamped>(object: T, hash: string | undefined): T {
  const annotations = {
    ...object.metadata.annotations,
    [ANNOTATION_NODE_CLASS_HASH_VERSION]: HASH_VERSION,
    ...(hash === undefined ? {} : { [ANNOTATION_NODE_CLASS_HASH]: hash }),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
