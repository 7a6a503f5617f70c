/** Where a cluster comes from. Every kind of runtime passes one case table. */
import type { Client } from '../kube/client.ts';

export type RuntimeKind = 'embedded' | 'kind' | 'binaries' | 'existing';

/** What can be left out, so that the real one takes its place. */
export const COMPONENTS = ['scheduler', 'controllers', 'node-agent', 'karpenter'] as const;
export type Component = (typeof COMPONENTS)[number];

export interface RuntimeOptions {
  /** The cluster's name; the kubeconfig context is `karpenter-<name>`. */
  readonly name: string;
  /** A folder that the runtime owns: certificates, token, database. It exists and is writable. */
  readonly stateDir: string;
  /** Of the API server, on loopback; 0 takes a free one. */
  readonly port: number;
  readonly without: ReadonlySet<Component>;
}

/** How a client reaches the cluster. Certificates are PEM. */
export interface Access {
  /** For example `https://127.0.0.1:6443`. */
  readonly server: string;
  readonly certificateAuthority: string;
  readonly token?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

export interface RunningCluster {
  readonly access: Access;
  readonly client: Client;
  /** Rejects when a component ends that should not have ended. */
  readonly failed: Promise<never>;
  /** Stops everything and keeps the state. */
  stop(): Promise<void>;
}

/** Told what is going on, in the order of the work. */
export interface StartProgress {
  step<T>(name: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T>;
}

export interface ClusterRuntime {
  readonly kind: RuntimeKind;
  /** Resolves when the API is ready and every component runs. Throws PortBusyError and StateError. */
  start(options: RuntimeOptions, progress: StartProgress, signal: AbortSignal): Promise<RunningCluster>;
}

/** Somebody else listens on the port. */
export class PortBusyError extends Error {
  override readonly name = 'PortBusyError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`port ${port} is in use`, options);
    this.port = port;
  }
}

/** The state folder holds something that can't be read, or can't be written. */
export class StateError extends Error {
  override readonly name = 'StateError';
}
