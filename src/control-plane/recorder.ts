import type { KubeObject } from '../kube/objects.ts';

export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Tells users, on an object, what a controller did to it. Never fails and never waits. */
export interface Recorder {
  event(about: KubeObject, event: NewEvent): void;
}
