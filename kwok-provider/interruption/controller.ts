import { CAPACITY_TYPE_SPOT } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { offeringOfLabels } from '../../src/cloudprovider/sold-out.ts';
import type { ControllerContext } from '../../src/controllers/context.ts';
import { BY_PROVIDER_ID } from '../../src/controllers/indexes.ts';
import { disruptedLabels } from '../../src/controllers/nodeclaim/disrupted-labels.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../src/kube/controller.ts';
import { ignoreNotFound } from '../../src/kube/errors.ts';
import type { Node } from '../../src/kube/objects.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';
import { PROVIDER_ID_PREFIX } from '../fake-node.ts';
import { NOT_READY_LABEL } from '../kubelet/node-status.ts';
import { markSoldOut } from '../market/mark-sold-out.ts';
import { interruptionEvents } from './events.ts';
import { interruptedAt } from './notice.ts';

/** As long as the EC2 provider doesn't try what was taken from it. */
const UNAVAILABLE_MS = 180_000;

const MESSAGE = 'the spot instance was interrupted two minutes ago';

type Deps = Pick<ControllerContext, 'client' | 'clock' | 'informers' | 'nodeClaims' | 'recorder' | 'metrics' | 'log'>;

/**
 * What a spot interruption does, on fake nodes: the claim is deleted at once, so that its pods move and a replacement is
 * bought; its offering counts as sold out for three minutes; and after two minutes the machine is gone, whatever is left
 * on it (aws-provider.md section 25).
 */
export class Interruption implements ControllerSpec {
  readonly name = 'interruption';
  readonly watches = [watch(NodeClaims)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodeClaims, clock } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim) return undefined;
    const end = interruptedAt(claim);
    if (end === undefined || !claim.status?.providerID?.startsWith(PROVIDER_ID_PREFIX)) return undefined;
    const node = this.#node(claim);
    if (!claim.metadata.deletionTimestamp) await this.#announce(claim, node, signal);
    if (!node) return undefined;
    const left = end - clock.now();
    if (left > 0) return { requeueAfter: left };
    await this.#endMachine(node, signal);
    return undefined;
  }

  #node(claim: NodeClaim): Node | undefined {
    const nodes: readonly Node[] = this.#deps.informers
      .for(Nodes)
      .store.byIndex(BY_PROVIDER_ID, claim.status?.providerID ?? '');
    return nodes[0];
  }

  async #announce(claim: NodeClaim, node: Node | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, nodeClaims, recorder, metrics, log } = this.#deps;
    recorder.publish(...interruptionEvents(claim, node));
    const offering = offeringOfLabels(claim.metadata.labels);
    if (offering.capacityType === CAPACITY_TYPE_SPOT) {
      const until = clock.now() + UNAVAILABLE_MS;
      const deps = { client, clock };
      await markSoldOut(deps, claim.spec.nodeClassRef.name, [{ ...offering, until }], signal).catch(ignoreNotFound);
    }
    await nodeClaims.delete(claim, signal).catch(ignoreNotFound);
    metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, 'spot_interrupted'));
    log.info('initiating delete from interruption message', { NodeClaim: { name: claim.metadata.name } });
  }

  /** A node that is not ready, and that the provider has no machine for, is not drained any longer. */
  async #endMachine(node: Node, signal: AbortSignal): Promise<void> {
    if (node.metadata.labels?.[NOT_READY_LABEL] === 'true') return;
    const annotations = {
      [`${NOT_READY_LABEL}/reason`]: 'InstanceTerminated',
      [`${NOT_READY_LABEL}/message`]: MESSAGE,
    };
    const body = { metadata: { labels: { [NOT_READY_LABEL]: 'true' }, annotations } };
    await this.#deps.client
      .patch(Nodes, { name: node.metadata.name }, { type: 'merge', body }, {}, signal)
      .catch(ignoreNotFound);
  }
}
