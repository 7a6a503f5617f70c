import type { Client } from '../../kube/client.ts';
import type { Clock, Random } from '../../kube/clock.ts';
import { Informer } from '../../kube/informer.ts';
import { NodeClaims } from '../../kube/resources.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import type { Style } from '../style.ts';
import { decisionLine } from './decision-log.ts';

export interface FollowInput {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly style: Style;
  readonly instanceTypes: readonly InstanceType[];
  readonly tell: (line: string) => void;
}

/** Tells what Karpenter decides from now on, a line each, until the signal aborts. */
export async function followDecisions(input: FollowInput, signal: AbortSignal): Promise<void> {
  const { client, clock, random, style, instanceTypes, tell } = input;
  const informer = new Informer({ client, clock, random }, NodeClaims);
  // What was there before is no news.
  let telling = false;
  informer.onChange((change) => {
    const line = telling ? decisionLine(change, { style, instanceTypes, now: () => clock.now() }) : undefined;
    if (line) tell(line);
  });
  void informer.synced.then(() => {
    telling = true;
  });
  await informer.run(signal);
}
