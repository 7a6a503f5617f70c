import type { NodeClaim } from '../../../apis/node-claim.ts';
import { causeOf, NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { inParallel } from '../../../controllers/in-parallel.ts';
import { BY_PROVIDER_ID } from '../../../controllers/indexes.ts';
import { isManagedClaim } from '../../../controllers/managed.ts';
import { type ControllerSpec, reads } from '../../../kube/controller.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'cloud' | 'clock' | 'log'>;

const PARALLEL = 100;
/** A claim is given its provider id a moment after its instance was launched. */
const GRACE_MS = 30_000;
const PERIOD_MS = 120_000;
/** After a start: an instance that the process before has launched and not written down is found soon. */
const FIRST_PERIODS = 20;
const FIRST_PERIOD_MS = 10_000;

/** Terminates instances that belong to no claim, and removes their nodes (aws-provider.md section 19). */
export class InstanceGarbageCollection implements ControllerSpec {
  readonly name = 'instance.garbagecollection';
  /** Before the claims are known every instance would look as if it belonged to none. */
  readonly watches = [reads(NodeClaims), reads(Nodes)];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;
  #successes = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const { nodeClaims, cloud, clock } = this.#deps;
    // Instances before claims: one that is launched in between must not look as if it belonged to nobody.
    const instances = await cloud.list(signal).catch((error: unknown) => {
      throw wrappedError('listing cloudprovider nodeclaims', error);
    });
    const claims = nodeClaims.list().filter((claim) => isManagedClaim(cloud, claim));
    const claimed = new Set(claims.map(({ status }) => status?.providerID));
    const now = clock.now();
    const orphans = instances.filter(
      ({ metadata: { deletionTimestamp, creationTimestamp = '' }, status }) =>
        !deletionTimestamp && !claimed.has(status?.providerID) && now - Date.parse(creationTimestamp) > GRACE_MS,
    );
    await inParallel(PARALLEL, orphans, (orphan) => this.#collect(orphan, signal));
    this.#successes++;
    return { requeueAfter: this.#successes <= FIRST_PERIODS ? FIRST_PERIOD_MS : PERIOD_MS };
  }

  async #collect(instance: NodeClaim, signal: AbortSignal): Promise<void> {
    const { cloud, nodes, log } = this.#deps;
    const providerID = instance.status?.providerID ?? '';
    try {
      await cloud.delete(instance, signal);
    } catch (error) {
      if (causeOf(error, NodeClaimNotFoundError)) return;
      throw error;
    }
    const fields = { 'provider-id': providerID };
    log.debug('garbage collected cloudprovider instance', fields);
    // Its pods are known to be homeless sooner so.
    const [node] = nodes.byIndex(BY_PROVIDER_ID, providerID);
    if (!node) return;
    await nodes.delete(node, signal).catch(ignoreNotFound);
    log.debug('garbage collected node', { ...fields, Node: { name: node.metadata.name } });
  }
}
