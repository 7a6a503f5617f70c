import { DEFAULT_BUCKETS, exponentialBuckets, type MetricDefinition } from './definition.ts';

/** The kinds whose conditions and ends are measured, in small letters. */
export type StatusKind = 'nodeclaim' | 'nodepool' | 'node' | 'capacitybuffer' | 'ec2nodeclass';

type Suffix =
  | 'status_condition_transition_seconds'
  | 'status_condition_count'
  | 'status_condition_current_status_seconds'
  | 'status_condition_transitions_total'
  | 'termination_current_time_seconds'
  | 'termination_duration_seconds';

const OBJECT = ['namespace', 'name'];
const CONDITION = ['type', 'status'];
const KIND = ['group', 'kind'];

type Extra = Pick<MetricDefinition, 'buckets' | 'ofNodeClasses' | 'provider'> & { readonly labels: readonly string[] };

/** Metrics of one family: those of a kind, or those of all kinds together. */
function family<Prefix extends string>(prefix: Prefix, { labels, buckets, ...extra }: Extra) {
  const metric = (type: MetricDefinition['type'], help: string, own: readonly string[]): MetricDefinition => ({
    type,
    help,
    labels: [...own, ...labels],
    bare: true,
    ...extra,
    ...(type === 'histogram' ? { buckets } : {}),
  });
  const definitions: Readonly<Record<Suffix, MetricDefinition>> = {
    status_condition_transition_seconds: metric(
      'histogram',
      'How long a condition had a status before it got another.',
      CONDITION,
    ),
    status_condition_count: metric('gauge', 'One for every condition of an object.', [
      ...OBJECT,
      ...CONDITION,
      'reason',
    ]),
    status_condition_current_status_seconds: metric('gauge', 'Since a condition has the status that it has.', [
      ...OBJECT,
      ...CONDITION,
      'reason',
    ]),
    status_condition_transitions_total: metric('counter', 'Conditions that got another status.', [
      ...CONDITION,
      'reason',
    ]),
    termination_current_time_seconds: metric('gauge', 'Since the deletion of an object that is still there.', OBJECT),
    termination_duration_seconds: metric('histogram', 'From the deletion of an object until it was gone.', []),
  };
  return Object.fromEntries(
    Object.entries(definitions).map(([suffix, definition]) => [`operator_${prefix}${suffix}`, definition]),
  ) as Readonly<Record<`operator_${Prefix}${Suffix}`, MetricDefinition>>;
}

const BUCKETS = exponentialBuckets(0.5, 2, 15);
const NODEPOOL = 'karpenter_sh_nodepool';

/** Conditions and ends of objects, by upstream's operatorpkg (karpenter-core.md 11.6); the last family is deprecated. */
export const STATUS_METRICS = {
  ...family('nodeclaim_', { labels: [NODEPOOL], buckets: BUCKETS, ofNodeClasses: true }),
  ...family('nodepool_', { labels: [], buckets: BUCKETS }),
  ...family('node_', { labels: [NODEPOOL, 'karpenter_sh_initialized'], buckets: BUCKETS, ofNodeClasses: true }),
  ...family('capacitybuffer_', { labels: [], buckets: BUCKETS }),
  ...family('ec2nodeclass_', { labels: [], buckets: BUCKETS, provider: 'aws' }),
  ...family('', { labels: KIND, buckets: DEFAULT_BUCKETS }),
};
