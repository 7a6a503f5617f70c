import { type SoldOut, soldOutText, withSoldOut } from '../../src/cloudprovider/sold-out.ts';
import type { Client } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { isConflict } from '../../src/kube/errors.ts';
import { type KWOKNodeClass, KwokNodeClasses } from '../apis/kwok-node-class.ts';
import { ANNOTATION_SOLD_OUT } from '../apis/labels.ts';
import { soldOutOf } from './market.ts';

export interface MarkDeps {
  readonly client: Client;
  readonly clock: Clock;
}

/** Tries so often when others change the node class at the same time. */
const ATTEMPTS = 5;

/** Adds to what the cloud of a node class has sold out; answers the class as it is then. */
export async function markSoldOut(
  deps: MarkDeps,
  nodeClass: string,
  added: readonly SoldOut[],
  signal?: AbortSignal,
): Promise<KWOKNodeClass> {
  return await changeSoldOut(deps, nodeClass, (now) => (old) => withSoldOut(old, added, now), signal);
}

/** Changes what the cloud of a node class has sold out, on top of what others change meanwhile. */
export async function changeSoldOut(
  { client, clock }: MarkDeps,
  name: string,
  change: (now: number) => (old: readonly SoldOut[]) => readonly SoldOut[],
  signal?: AbortSignal,
): Promise<KWOKNodeClass> {
  for (let attempt = 1; ; attempt++) {
    const nodeClass = await client.get(KwokNodeClasses, { name }, signal);
    const text = soldOutText(change(clock.now())(soldOutOf(nodeClass)));
    const { resourceVersion } = nodeClass.metadata;
    const body = { metadata: { resourceVersion, annotations: { [ANNOTATION_SOLD_OUT]: text === '' ? null : text } } };
    try {
      return await client.patch(KwokNodeClasses, { name }, { type: 'merge', body }, {}, signal);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
