import { CreateError, InsufficientCapacityError } from '../../src/cloudprovider/errors.ts';
import type { CloudProvider } from '../../src/cloudprovider/types.ts';
import { alteredCloud } from '../support/altered-cloud.ts';
import type { Faults } from './fault-kinds.ts';
import type { Lifeline } from './lifeline.ts';
import type { Observer } from './observer.ts';

export interface FaultyCloudDeps {
  readonly cloud: CloudProvider;
  readonly faults: Faults;
  readonly lifeline: Lifeline;
  readonly observer: Pick<Observer, 'launched'>;
  /** Whether the process is killed right after this launch. */
  readonly isDeadly: () => boolean;
}

/** The cloud as a controller process sees it, misbehaving as `faults` says. */
export function faultyCloud({ cloud, faults, lifeline, observer, isDeadly }: FaultyCloudDeps): CloudProvider {
  const refused = (): never => {
    throw new Error('the cloud is out of order');
  };
  return alteredCloud(cloud, {
    create: (claim, signal) =>
      lifeline.through(async () => {
        const kind = faults.draw(['no capacity', 'create refused', 'created, but failed']);
        if (kind === 'no capacity') throw new InsufficientCapacityError('no capacity');
        if (kind === 'create refused') throw new CreateError('refused', 'Refused', 'the cloud refused');
        const created = await cloud.create(claim, signal);
        observer.launched(claim, created);
        if (kind === 'created, but failed') refused();
        if (isDeadly()) lifeline.end();
        return created;
      }, true),
    delete: (claim, signal) =>
      lifeline.through(async () => {
        const kind = faults.draw(['delete refused', 'deleted, but failed']);
        if (kind === 'delete refused') refused();
        if (kind === undefined) return await cloud.delete(claim, signal);
        await cloud.delete(claim, signal).catch(() => undefined);
        return refused();
      }, true),
    get: (id, signal) =>
      lifeline.through(async () => (faults.draw(['get refused']) ? refused() : await cloud.get(id, signal)), false),
    list: (signal) =>
      lifeline.through(async () => {
        const kind = faults.draw(['list refused', 'list partial']);
        if (kind === 'list refused') refused();
        const all = await cloud.list(signal);
        return kind === 'list partial' ? all.filter(() => faults.choices.chance(0.5)) : all;
      }, false),
  });
}
