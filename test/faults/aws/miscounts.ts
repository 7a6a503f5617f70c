import { NodeClaims } from '../../../src/kube/resources.ts';
import type { MetricName } from '../../../src/metrics/definitions.ts';
import type { TestEnvironment } from '../../environment.ts';

/** What was counted while nothing failed, and does not fit what there is. */
export async function miscounts(
  { client }: Pick<TestEnvironment, 'client'>,
  counts: ReadonlyMap<MetricName, number>,
): Promise<readonly string[]> {
  const of = (name: MetricName): number => counts.get(name) ?? 0;
  const left = of('nodeclaims_created_total') - of('nodeclaims_terminated_total');
  const claims = (await client.list(NodeClaims)).items.length;
  const received = of('interruption_received_messages_total');
  const deleted = of('interruption_deleted_messages_total');
  return [
    ...(left === claims ? [] : [`claims created less claims terminated are ${left}, but there are ${claims}`]),
    ...(of('nodeclaims_disrupted_total') <= of('nodeclaims_terminated_total')
      ? []
      : ['more claims were disrupted than terminated']),
    // What can't be read is deleted, and not received.
    ...(deleted >= received ? [] : [`${received} messages were received, but only ${deleted} deleted`]),
  ];
}
