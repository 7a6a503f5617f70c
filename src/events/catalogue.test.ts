import { expect, test } from 'vitest';
import { node, nodeClaim, nodePool, pod } from '../../test/factories/index.ts';
import * as disruption from '../controllers/disruption/events.ts';
import { doNotDisruptEvents } from '../controllers/do-not-disrupt-events.ts';
import * as termination from '../controllers/node/termination/events.ts';
import * as claims from '../controllers/nodeclaim/events.ts';
import * as provisioning from '../controllers/provisioning/events.ts';
import * as status from '../controllers/status/events.ts';
import { NodeClaims } from '../kube/resources.ts';
import type { Event } from './recorder.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const THE_POD = pod({
  metadata: { name: 'p', uid: 'pod-uid' },
  spec: { terminationGracePeriodSeconds: 30 },
  status: { startTime: '2026-11-30T23:59:00Z' },
});
const THE_NODE = node({ metadata: { name: 'n', uid: 'node-uid' } });
const THE_CLAIM = nodeClaim({ metadata: { name: 'c', uid: 'claim-uid' } });
const THE_POOL = nodePool({ metadata: { name: 'np', uid: 'pool-uid' } });
const BOTH = { node: THE_NODE, nodeClaim: THE_CLAIM, markedForDeletion: false };
const SCORE = { score: 1.234, savingsFraction: 0.5, disruptionFraction: 0.25, approved: true };
const annotated = (value: string) => ({
  ...THE_POD,
  metadata: { ...THE_POD.metadata, annotations: { 'karpenter.sh/do-not-disrupt': value } },
});

const MINUTES = 60_000;
const DEFAULT = 2 * MINUTES;

/** Kind, type, reason, message, what it is told apart by, and for how long. */
type Row = readonly [kind: string, type: string, reason: string, message: string, dedupe: string[], ms: number];

const rowOf = ({ resource, type, reason, message, dedupe = [], dedupeMs = DEFAULT }: Event): Row => [
  resource.kind,
  type,
  reason,
  message,
  [...dedupe],
  dedupeMs,
];
/** The same on the node and then on the claim. */
const onBoth = (reason: string, message: string, more: string[] = [], ms = DEFAULT): Row[] => [
  ['Node', 'Normal', reason, message, ['node-uid', ...more], ms],
  ['NodeClaim', 'Normal', reason, message, ['claim-uid', ...more], ms],
];

const CATALOGUE: readonly (readonly [events: Event | readonly Event[], rows: readonly Row[]])[] = [
  [
    provisioning.nominated(THE_POD, { node: THE_NODE, nodeClaim: THE_CLAIM }),
    [['Pod', 'Normal', 'Nominated', 'Pod should schedule on: nodeclaim/c, node/n', ['pod-uid'], DEFAULT]],
  ],
  [
    provisioning.failedScheduling(THE_POD, 'no room'),
    [['Pod', 'Warning', 'FailedScheduling', 'Failed to schedule pod, no room', ['pod-uid'], 5 * MINUTES]],
  ],
  [
    provisioning.noCompatibleInstanceTypes(THE_POOL, false),
    [
      [
        'NodePool',
        'Warning',
        'NoCompatibleInstanceTypes',
        'NodePool requirements filtered out all compatible available instance types',
        ['pool-uid'],
        MINUTES,
      ],
    ],
  ],
  [
    provisioning.noCompatibleInstanceTypes(THE_POOL, true),
    [
      [
        'NodePool',
        'Warning',
        'NoCompatibleInstanceTypes',
        'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility',
        ['pool-uid'],
        MINUTES,
      ],
    ],
  ],
  [
    disruption.launching(THE_CLAIM, 'Drifted'),
    [['NodeClaim', 'Normal', 'DisruptionLaunching', 'Launching NodeClaim: Drifted', ['claim-uid', 'Drifted'], DEFAULT]],
  ],
  [
    disruption.waitingOnReadiness(THE_CLAIM),
    [
      [
        'NodeClaim',
        'Normal',
        'DisruptionWaitingReadiness',
        'Waiting on readiness to continue disruption',
        ['claim-uid'],
        DEFAULT,
      ],
    ],
  ],
  [
    disruption.terminating(BOTH, 'Empty'),
    [
      ['Node', 'Normal', 'DisruptionTerminating', 'Disrupting Node: Empty', ['node-uid', 'Empty'], DEFAULT],
      ['NodeClaim', 'Normal', 'DisruptionTerminating', 'Disrupting NodeClaim: Empty', ['claim-uid', 'Empty'], DEFAULT],
    ],
  ],
  [disruption.unconsolidatable(BOTH, 'too dear'), onBoth('Unconsolidatable', 'too dear', [], 15 * MINUTES)],
  [disruption.blocked(BOTH, 'a pod'), onBoth('DisruptionBlocked', 'a pod')],
  [
    disruption.blockedByBudget(THE_POOL, 'Empty'),
    [
      [
        'NodePool',
        'Normal',
        'DisruptionBlocked',
        'No allowed disruptions for disruption reason Empty due to blocking budget',
        ['pool-uid', 'Empty'],
        MINUTES,
      ],
    ],
  ],
  [
    disruption.consolidationCandidate(BOTH, 'delete n', 1.5),
    onBoth('ConsolidationCandidate', 'Consolidation candidate: delete n (savings: $1.50)', ['delete n']),
  ],
  [
    disruption.consolidationRejected(BOTH, 'delete n', 'churn', 0.126),
    onBoth('ConsolidationRejected', 'Consolidation rejected: delete n, reason: churn (savings: $0.13)', [
      'delete n',
      'churn',
    ]),
  ],
  [
    disruption.consolidationApproved(BOTH, SCORE),
    onBoth('ConsolidationApproved', 'score 1.23 >= threshold 0.50 (k: 2, savings 50.0%, disruption 25.0%)'),
  ],
  [
    disruption.consolidationApprovedIn(THE_POOL, { ...SCORE, score: Number.POSITIVE_INFINITY }),
    [
      [
        'NodePool',
        'Normal',
        'ConsolidationApproved',
        'score +Inf >= threshold 0.50 (k: 2, savings 50.0%, disruption 25.0%)',
        ['pool-uid'],
        DEFAULT,
      ],
    ],
  ],
  [termination.evicted(THE_POD, 'drifted'), [['Pod', 'Normal', 'Evicted', 'Evicted pod: drifted', ['p'], DEFAULT]]],
  [
    termination.disrupted(THE_POD, 10, NOW),
    [
      [
        'Pod',
        'Normal',
        'Disrupted',
        'Deleting the pod to accommodate the terminationTime 2026-12-01 00:00:00 +0000 UTC of the node. The pod was granted 10 seconds of grace-period of its 30 terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.',
        ['p'],
        DEFAULT,
      ],
    ],
  ],
  [
    termination.failedDraining(THE_NODE, '3 pods are waiting to be evicted'),
    [['Node', 'Warning', 'FailedDraining', 'Failed to drain node, 3 pods are waiting to be evicted', ['n'], DEFAULT]],
  ],
  [
    termination.awaitingVolumeDetachment(THE_NODE, ['1', '2', '3', '4', '5', '6', '7']),
    [
      [
        'Node',
        'Normal',
        'AwaitingVolumeDetachment',
        'Awaiting deletion of bound volumeattachments (1, 2, 3, 4, 5 and 2 other(s))',
        ['n'],
        DEFAULT,
      ],
    ],
  ],
  [
    termination.nodeTerminationGracePeriodExpiring(THE_NODE, '2026-12-01T00:00:00Z'),
    [
      [
        'Node',
        'Warning',
        'TerminationGracePeriodExpiring',
        'All pods will be deleted by 2026-12-01T00:00:00Z',
        ['n'],
        DEFAULT,
      ],
    ],
  ],
  [
    claims.terminationGracePeriodExpiring(THE_CLAIM, '2026-12-01T00:00:00Z'),
    [
      [
        'NodeClaim',
        'Warning',
        'TerminationGracePeriodExpiring',
        'All pods will be deleted by 2026-12-01T00:00:00Z',
        ['c'],
        DEFAULT,
      ],
    ],
  ],
  [
    claims.insufficientCapacity(THE_CLAIM, `sold out ${'x'.repeat(400)}`),
    [
      [
        'NodeClaim',
        'Warning',
        'InsufficientCapacityError',
        `NodeClaim c event: sold out ${'x'.repeat(291)}...`,
        ['claim-uid'],
        DEFAULT,
      ],
    ],
  ],
  [
    claims.unregisteredTaintMissing(THE_CLAIM),
    [
      [
        'NodeClaim',
        'Warning',
        'UnregisteredTaintMissing',
        'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
        ['claim-uid'],
        DEFAULT,
      ],
    ],
  ],
  [
    claims.failedConsistencyCheck(THE_CLAIM, 'too small'),
    [['NodeClaim', 'Warning', 'FailedConsistencyCheck', 'too small', ['claim-uid', 'too small'], DEFAULT]],
  ],
  [
    doNotDisruptEvents(annotated('-5m'), NOW),
    [
      [
        'Pod',
        'Warning',
        'InvalidDoNotDisruptAnnotation',
        'Invalid karpenter.sh/do-not-disrupt annotation: duration "-5m" must be positive, ignoring annotation',
        ['pod-uid', 'duration "-5m" must be positive'],
        DEFAULT,
      ],
    ],
  ],
  [
    doNotDisruptEvents(annotated('5m'), NOW),
    [
      [
        'Pod',
        'Normal',
        'DoNotDisruptUntil',
        'The karpenter.sh/do-not-disrupt grace period will elapse at 2026-12-01T00:04:00Z',
        ['pod-uid', '2026-12-01T00:04:00Z'],
        DEFAULT,
      ],
    ],
  ],
  [
    doNotDisruptEvents(annotated('30s'), NOW),
    [
      [
        'Pod',
        'Normal',
        'DoNotDisruptGracePeriodElapsed',
        'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
        ['pod-uid'],
        DEFAULT,
      ],
    ],
  ],
  [
    status.transitioned(NodeClaims, THE_CLAIM, 'Unknown', { type: 'Launched', status: 'True', reason: 'Launched' }),
    [
      [
        'NodeClaim',
        'Normal',
        'Launched',
        'Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched',
        [],
        DEFAULT,
      ],
    ],
  ],
  [
    status.finalized(NodeClaims, THE_CLAIM, 'karpenter.sh/termination'),
    [['NodeClaim', 'Normal', 'Finalized', 'Finalized karpenter.sh/termination', [], DEFAULT]],
  ],
];

test.each(
  CATALOGUE.map(([events, rows]) => {
    const list = Array.isArray(events) ? (events as readonly Event[]) : [events as Event];
    return [list[0]?.reason ?? '', list[0]?.resource.kind ?? '', list, rows] as const;
  }),
)('12.2: %s of a %s says what upstream says, and is told apart as there', (_reason, _kind, events, rows) => {
  expect(events.map(rowOf)).toEqual(rows);
});

test('12.2: only nominations are limited, five in a second and ten at once', () => {
  const limited = CATALOGUE.flatMap(([events]) => events).filter(({ limit }) => limit);
  expect(limited.map(({ reason, limit }) => [reason, limit])).toEqual([['Nominated', { perSecond: 5, burst: 10 }]]);
});

test('12.2.3: what there is no node or no claim for is not told', () => {
  const kinds = (events: readonly Event[]) => events.map(({ resource }) => resource.kind);
  expect(kinds(disruption.blocked({ node: THE_NODE, markedForDeletion: false }, 'x'))).toEqual(['Node']);
  expect(kinds(disruption.blocked({ nodeClaim: THE_CLAIM, markedForDeletion: false }, 'x'))).toEqual(['NodeClaim']);
});
