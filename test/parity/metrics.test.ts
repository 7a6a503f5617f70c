import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { nodeClassLabelNames, nodeLabelNames } from '../../src/controllers/metrics/node-labels.ts';
import { AWS_METRICS } from '../../src/metrics/definitions/aws.ts';
import { DURATION_BUCKETS } from '../../src/metrics/definitions/definition.ts';
import { METRICS } from '../../src/metrics/definitions.ts';

const oracle = process.env.KARPENTER_ORACLE;

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  readonly objectives?: readonly number[];
}

/** Registered by the libraries of upstream for what neither it nor we have, or which never count anything in it. */
const NOT_OURS = [
  // Only of programs that wrap their provider, which that of upstream's kwok provider does not.
  /^karpenter_cloudprovider_/,
  /^certwatcher_/,
  /^controller_runtime_(conversion_)?webhook_/,
  /^controller_runtime_(terminal_reconcile_errors|reconcile_panics|reconcile_timeouts)_total$/,
  /^rest_client_requests_total$/,
];
/** The oracle's world has reservations, which the kwok provider by itself has not. */
const ONLY_IN_ORACLE = 'reservation_id';

const cloud = {
  wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS),
  supportedNodeClasses: () => [
    { group: 'karpenter.kwok.sh', version: 'v1alpha1', kind: 'KWOKNodeClass', plural: 'kwoknodeclasses' },
  ],
};

/** Those that upstream's EC2 provider registers, which the oracle has not. */
const OF_EC2 = new RegExp(`^(${[...Object.keys(AWS_METRICS), 'operator_ec2nodeclass_.*'].join('|')})$`);

const definitions = Object.entries(METRICS).filter(([name]) => !OF_EC2.test(name));
const ours: readonly Metric[] = definitions.map(([name, definition]) => ({
  name: definition.bare ? name : `karpenter_${name}`,
  type: definition.type,
  labels: [
    ...definition.labels,
    ...(definition.ofNodes ? nodeLabelNames(cloud) : []),
    ...(definition.ofNodeClasses ? nodeClassLabelNames(cloud) : []),
  ].sort(),
  ...(definition.type === 'histogram' ? { buckets: definition.buckets ?? DURATION_BUCKETS } : {}),
}));

describe.skipIf(oracle === undefined)('our metrics (KARPENTER_ORACLE names the oracle program)', () => {
  const answer = oracle === undefined ? '[]' : execFileSync(oracle, ['metrics'], { encoding: 'utf8' });
  const upstream = (JSON.parse(answer) as readonly Metric[])
    .filter(({ name }) => !NOT_OURS.some((pattern) => pattern.test(name)))
    .map((metric) => ({ ...metric, labels: metric.labels.filter((label) => label !== ONLY_IN_ORACLE) }));

  it('11: are the ones upstream has', () => {
    const names = (metrics: readonly Metric[]) => metrics.map(({ name }) => name).sort();
    expect(names(ours)).toEqual(names(upstream));
  });

  it.each(ours.map((metric) => [metric.name, metric] as const))(
    '11: have upstream’s type, labels and buckets: %s',
    (name, metric) => {
      const theirs = upstream.find((candidate) => candidate.name === name);
      expect(metric.type).toBe(theirs?.type);
      expect(metric.labels).toEqual(theirs?.labels);
      const bounds = (of: Metric | undefined) => of?.buckets?.map((bound) => Number(bound.toPrecision(9)));
      expect(bounds(metric)).toEqual(bounds(theirs));
    },
  );
});
