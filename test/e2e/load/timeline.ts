import { conditionIsTrue } from '../../../src/kube/conditions.ts';
import type { Informers } from '../../../src/kube/informers.ts';
import type { KubeObject } from '../../../src/kube/objects.ts';
import { NodeClaims, Nodes, Pods } from '../../../src/kube/resources.ts';

/** When a watch told of something for the first time, in milliseconds of one monotonic clock. */
export class Timeline {
  readonly podsSeen = new Map<string, number>();
  readonly podsRunning = new Map<string, number>();
  readonly claimsSeen = new Map<string, number>();
  readonly nodesReady = new Map<string, number>();
  readonly #informers: Informers;

  constructor(informers: Informers) {
    this.#informers = informers;
    informers.for(Pods).onChange(({ object }) => {
      note(this.podsSeen, object);
      if (object.status?.phase === 'Running') note(this.podsRunning, object);
    });
    informers.for(NodeClaims).onChange(({ object }) => note(this.claimsSeen, object));
    informers.for(Nodes).onChange(({ object }) => {
      if (conditionIsTrue(object, 'Ready')) note(this.nodesReady, object);
    });
  }

  get running(): number {
    return this.#informers
      .for(Pods)
      .store.list()
      .filter((pod) => pod.status?.phase === 'Running' && !pod.metadata.deletionTimestamp).length;
  }

  get nodes(): number {
    return this.#informers.for(Nodes).store.list().length;
  }

  get claims(): number {
    return this.#informers.for(NodeClaims).store.list().length;
  }
}

function note(seen: Map<string, number>, { metadata: { name } }: KubeObject): void {
  if (!seen.has(name)) seen.set(name, performance.now());
}
