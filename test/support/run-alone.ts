import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import { addIndexes } from '../../src/controllers/indexes.ts';
import { Objects } from '../../src/controllers/objects.ts';
import type { Client } from '../../src/kube/client.ts';
import type { ControllerSpec, Reconciled } from '../../src/kube/controller.ts';
import { Informers } from '../../src/kube/informers.ts';
import { Manager } from '../../src/kube/manager.ts';
import type { Node } from '../../src/kube/objects.ts';
import { NodeClaims, NodePools, Nodes } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';

interface Parts {
  readonly nodeClaims: Objects<NodeClaim>;
  readonly nodePools: Objects<NodePool>;
  readonly nodes: Objects<Node>;
}

/** Runs one controller without the others, until `stop`; `reconciled` has the ends of its reconciliations so far. */
export function runAlone(
  { api, clock, random }: TestEnvironment,
  make: (parts: Parts) => ControllerSpec,
  client: Client = api.client('karpenter'),
): { readonly reconciled: readonly Reconciled[]; readonly stop: () => void } {
  const informers = new Informers({ client, clock, random });
  const parts = { client, clock, informers };
  addIndexes(informers);
  const reconciled: Reconciled[] = [];
  const manager = new Manager({ clock, informers, onReconciled: (end) => reconciled.push(end) });
  manager.add(
    make({
      nodeClaims: new Objects(parts, NodeClaims),
      nodePools: new Objects(parts, NodePools),
      nodes: new Objects(parts, Nodes),
    }),
  );
  const stop = new AbortController();
  void manager.run(stop.signal);
  return { reconciled, stop: () => stop.abort(new Error('the test is over')) };
}
