import type { Controller, ControllerSpec } from '../kube/controller.ts';

/** A controller that is woken by other means than watches, through the queue it is handed before it runs. */
export interface TriggeredController extends ControllerSpec {
  attach(queue: Controller['queue']): void;
}
