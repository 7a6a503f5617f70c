import type { Client, Resource } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { Informers } from '../kube/informers.ts';
import type { Recorder } from './recorder.ts';

/** What every controller of the control plane is built from. */
export interface ControlPlaneDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** A recorder of events about objects of one resource, which names `component` as their source. */
  recorderFor(component: string, about: Resource): Recorder;
}
