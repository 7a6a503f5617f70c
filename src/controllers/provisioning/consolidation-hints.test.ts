import { expect, test } from 'vitest';
import { requesting, unschedulablePod } from '../../../test/factories/index.ts';
import type { PodSpec } from '../../kube/objects.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { ConsolidationHints } from './consolidation-hints.ts';

const labelSelector = { matchLabels: { app: 'a' } };
const shy: Partial<PodSpec> = {
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } },
      ],
    },
  },
};
const spreading = (whenUnsatisfiable: string): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1, whenUnsatisfiable, labelSelector },
  ],
});
const pod = (name: string, spec: Partial<PodSpec> = {}) =>
  unschedulablePod({ metadata: { name, uid: name }, spec: { ...requesting({ cpu: '1' }), ...spec } });

test('each pod with a soft rule about other pods is named once a day', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const hints = new ConsolidationHints({
    clock,
    log: { info: (message, fields) => lines.push(`${message}: ${fields?.pods}`) },
  });
  const pods = [
    pod('plain'),
    pod('shy', shy),
    pod('soft', spreading('ScheduleAnyway')),
    pod('hard', spreading('DoNotSchedule')),
  ];
  hints.note(pods);
  hints.note(pods);
  expect(lines).toEqual([
    'pod(s) have a preferred Anti-Affinity which can prevent consolidation: default/shy',
    'pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation: default/soft',
  ]);
  hints.note(Array.from({ length: 12 }, (_, i) => pod(`shy-${i}`, shy)));
  expect(lines.at(-1)).toMatch(/default\/shy-9 and 2 other\(s\)$/);
  await clock.advance(24 * 3_600_000);
  hints.note([pod('shy', shy)]);
  expect(lines).toHaveLength(4);
});
