import type { Client } from '../../../kube/client.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { Informers } from '../../../kube/informers.ts';
import { keyOf } from '../../../kube/object-key.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../kube/objects.ts';
import { PersistentVolumeClaims, PersistentVolumes } from '../../../kube/resources.ts';
import { BOUND_BY_CONTROLLER, isFullyBound, refersTo, SELECTED_NODE } from '../../volumes/claims.ts';
import type { Filter } from '../filter.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { nodeVolumeLimits, volumeBinding, volumeRestrictions, volumeZone } from './volume-filters.ts';
import { planVolumes, type VolumePlan } from './volume-plan.ts';
import { VolumeReader } from './volume-reader.ts';

/** Volumes held for a pod that is on its way to a node. */
export interface Reservation {
  /** Has the volumes bound or made, and resolves when they are. */
  bind(signal: AbortSignal): Promise<void>;
  /** Gives them up. */
  release(): void;
}

export interface PodVolumesDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: Informers;
}

/** Milliseconds (bindTimeoutSeconds). */
const PATIENCE = 600_000;

/** The provisioner could not make the volume on this node, or took too long. */
export class VolumeBindingError extends Error {
  override readonly name = 'VolumeBindingError';
}

/** The scheduler's part in binding volumes: choosing them together with the node. */
export class PodVolumes {
  readonly filters: readonly Filter[];
  readonly #deps: PodVolumesDeps;
  readonly #reader: VolumeReader;
  /** Volumes promised to pods that are being bound. */
  readonly #taken = new Set<string>();

  constructor(deps: PodVolumesDeps) {
    this.#deps = deps;
    const reader = new VolumeReader(deps.informers);
    this.#reader = reader;
    this.filters = [
      volumeRestrictions(reader),
      nodeVolumeLimits(reader),
      volumeBinding(reader, () => this.#taken),
      volumeZone(reader),
    ];
  }

  /** Holds what the pod needs on the node; undefined when it has nothing to bind. */
  reserve({ pod }: PodInfo, { node }: NodeInfo): Reservation | undefined {
    const claims = this.#reader.podClaims(pod);
    if (claims === undefined || 'problem' in claims || claims.delayed.length === 0) return undefined;
    const plan = planVolumes(
      {
        claims: claims.delayed,
        volumes: this.#reader.volumes.list(),
        taken: this.#taken,
        storageClass: (name) => this.#reader.classes.get(name),
      },
      node,
    );
    if (plan === undefined) return undefined;
    const names = plan.bind.map(({ volume }) => volume.metadata.name);
    for (const name of names) this.#taken.add(name);
    const release = (): void => {
      for (const name of names) this.#taken.delete(name);
    };
    return {
      release,
      bind: async (signal) => {
        await this.#request(plan, node.metadata.name, signal);
        await this.#allBound(claims.delayed, node.metadata.name, signal);
        release();
      },
    };
  }

  async #request(plan: VolumePlan, nodeName: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const bound = plan.bind.map(({ claim, volume }) =>
      client.patch(PersistentVolumes, volume.metadata, { type: 'merge', body: reserved(volume, claim) }, {}, signal),
    );
    const annotations = { [SELECTED_NODE]: nodeName };
    const provisioned = plan.provision.map(({ metadata }) =>
      client.patch(
        PersistentVolumeClaims,
        metadata,
        { type: 'merge', body: { metadata: { annotations } } },
        {},
        signal,
      ),
    );
    await Promise.all([...bound, ...provisioned]);
  }

  /** Waits until the volume controller has bound all claims; a claim whose node was taken back has failed. */
  async #allBound(claims: readonly PersistentVolumeClaim[], nodeName: string, signal: AbortSignal): Promise<void> {
    const { clock, informers } = this.#deps;
    const informer = informers.for(PersistentVolumeClaims);
    const keys = claims.map(keyOf);
    const outcome = Promise.withResolvers<void>();
    const requested = new Set<string>();
    const look = (): void => {
      const current = keys.map((key) => informer.store.get(key));
      for (const [index, claim] of current.entries()) {
        const key = keys[index] ?? '';
        const selected = claim?.metadata.annotations?.[SELECTED_NODE];
        if (selected === nodeName) requested.add(key);
        else if (requested.has(key)) outcome.reject(new VolumeBindingError(`provisioning failed for PVC "${key}"`));
      }
      if (current.every((claim) => claim !== undefined && isFullyBound(claim))) outcome.resolve();
    };
    const late = (): void => outcome.reject(new VolumeBindingError('timed out waiting for the condition'));
    const stop = informer.onChange(look);
    const cancel = clock.setTimeout(late, PATIENCE);
    const onAbort = (): void => outcome.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await outcome.promise;
    } finally {
      stop();
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** The change that reserves a volume for a claim. */
function reserved(volume: PersistentVolume, claim: PersistentVolumeClaim): object {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
  const annotations = refersTo(volume, claim) ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
  return { metadata: { annotations, resourceVersion: volume.metadata.resourceVersion }, spec: { claimRef } };
}
