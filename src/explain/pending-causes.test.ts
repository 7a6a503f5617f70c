import { expect, it } from 'vitest';
import { node, nodePool, pod, requesting, unschedulablePod } from '../../test/factories/index.ts';
import { genericCatalogue } from '../../test/support/generic-catalogue.ts';
import { worldFromObjects } from '../state/world-from-objects.ts';
import { Analysis } from './analysis.ts';
import { pendingCauses } from './pending-causes.ts';

it('counts every pending pod once, those with the same cause together, those that are left to others too', () => {
  const { instanceTypes, rules } = genericCatalogue();
  const waiting = (name: string, cpu: string, spec = {}) =>
    unschedulablePod({ metadata: { name }, spec: { ...requesting({ cpu }), ...spec } });
  const objects = [
    nodePool({ metadata: { name: 'p' } }),
    ...['a', 'b'].map((name) => node({ metadata: { name }, status: { allocatable: { cpu: '2', pods: '9' } } })),
    waiting('fits-1', '2'),
    waiting('fits-2', '2'),
    waiting('huge-1', '500'),
    waiting('huge-2', '600', { tolerations: [{ operator: 'Exists' }] }),
    waiting('new', '4'),
    pod({ metadata: { name: 'gated' }, spec: { schedulingGates: [{ name: 'quota' }] } }),
    pod({ metadata: { name: 'young' } }),
    pod({ metadata: { name: 'runs' }, spec: { nodeName: 'a' } }),
  ];
  const world = worldFromObjects(objects, { instanceTypes, now: 0 });
  const causes = pendingCauses(new Analysis(world, rules).plan(true), world.pods);
  expect(causes.map(({ code, count, message }) => `${count} ${code}: ${message}`).sort()).toEqual([
    '1 NewNode: a new node of NodePool "p" will take it',
    '1 NotRefusedYet: the scheduler has not refused it yet',
    '1 SchedulingGated: held back by scheduling gates',
    '2 ExistingNode: node "a" and 1 others have room',
    '2 InsufficientResources: NodePool "p": no instance type has enough resources',
  ]);
});
