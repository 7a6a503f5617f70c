import type { ControllerSpec, Reconciled } from '../kube/controller.ts';
import { Informers } from '../kube/informers.ts';
import { Manager, type Runnable } from '../kube/manager.ts';
import type { ComponentContext } from './embedded.ts';

export interface ManagedParts {
  readonly controllers: readonly ControllerSpec[];
  readonly runnables?: readonly Runnable[];
}

/** A component made of controllers: informers of its own, and one life for everything in it. */
export function managed(
  { client, clock, random, onTrouble }: ComponentContext,
  parts: (informers: Informers) => ManagedParts,
): Runnable {
  const informers = new Informers({
    client,
    clock,
    random,
    onError: (error, resource) => onTrouble(`watching ${resource.plural}`, error),
  });
  const onReconciled = ({ controller, key, error }: Reconciled): void => {
    if (error !== undefined) onTrouble(`${controller} ${key}`, error);
  };
  const manager = new Manager({ clock, informers, onReconciled });
  const { controllers, runnables = [] } = parts(informers);
  for (const spec of controllers) manager.add(spec);
  for (const runnable of runnables) manager.addRunnable(runnable);
  return manager;
}
