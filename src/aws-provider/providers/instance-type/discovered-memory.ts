import { LABEL_INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { Node } from '../../../kube/objects.ts';
import { parseQuantityMilli } from '../../../kube/quantity.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import { mapToInstanceTypes } from '../ami-family/map-to-instance-types.ts';
import { classKey } from './class-key.ts';

type Labels = Readonly<Record<string, string>>;

const DAY_MS = 86_400_000;

/** A node has told how much memory it sees. */
export interface MemoryDiscovery {
  readonly instanceType: string;
  /** The class's AMIs, as its key has them. */
  readonly amis: string;
  /** Thousandths of bytes. */
  readonly memoryMilli: number;
  /** Less than was known, or the first that is known. */
  readonly isNews: boolean;
}

/** The memory that nodes have been seen to have, by type and AMIs, for sixty days (aws-provider.md section 22). */
export class DiscoveredMemory {
  readonly #milli: TtlCache<number>;

  constructor(clock: Clock) {
    this.#milli = new TtlCache(clock, { ttlMs: 60 * DAY_MS, sweepMs: DAY_MS });
  }

  /** Thousandths of bytes. */
  get(instanceType: string, amis: string): number | undefined {
    return this.#milli.get(keyOf(instanceType, amis));
  }

  /**
   * Keeps the least that nodes of the type have. Undefined when the node tells nothing: it has more, or was launched with an
   * AMI that the class no longer has for its type.
   */
  update(node: Node, nodeClaim: NodeClaim, nodeClass: EC2NodeClass): MemoryDiscovery | undefined {
    const labels = node.metadata.labels ?? {};
    const instanceType = labels[LABEL_INSTANCE_TYPE] ?? '';
    const memory = node.status?.capacity?.memory;
    if (memory === undefined || !isOfCurrentAmi(nodeClass, instanceType, labels, nodeClaim.status?.imageID))
      return undefined;
    const { amis } = classKey(nodeClass);
    const memoryMilli = parseQuantityMilli(memory);
    const known = this.get(instanceType, amis) ?? Number.POSITIVE_INFINITY;
    if (memoryMilli > known) return undefined;
    // An equal one lives on from now.
    this.#milli.set(keyOf(instanceType, amis), memoryMilli);
    return { instanceType, amis, memoryMilli, isNews: memoryMilli < known };
  }
}

const keyOf = (instanceType: string, amis: string): string => `${instanceType} ${amis}`;

/** Whether the node's AMI is the one that a node of its kind would be launched with now. */
function isOfCurrentAmi({ status }: EC2NodeClass, instanceType: string, labels: Labels, imageID = ''): boolean {
  const type = { name: instanceType, requirements: Requirements.fromLabels(labels) };
  const byImage = mapToInstanceTypes([{ ...type, offerings: [], capacity: {}, overhead: {} }], status?.amis ?? []);
  return byImage.has(imageID);
}
