import type { Client, Resource } from '../../kube/client.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { KubeObject, Pod } from '../../kube/objects.ts';
import { isTerminal } from '../../kube/pods.ts';
import { PersistentVolumeClaims, PersistentVolumes, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { podClaims } from './claims.ts';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';
const CLAIM = 'claim';

/** Adds the finalizer to a living object, takes it from a dying one that nobody uses. */
async function protect<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizer: string,
  used: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { finalizers = [], deletionTimestamp, resourceVersion } = object.metadata;
  const present = finalizers.includes(finalizer);
  const wanted = deletionTimestamp === undefined || used;
  if (present === wanted || (!present && deletionTimestamp !== undefined)) return;
  const next = present ? finalizers.filter((other) => other !== finalizer) : [...finalizers, finalizer];
  const body = { metadata: { finalizers: next, resourceVersion } };
  await client.patch(resource, object.metadata, { type: 'merge', body }, {}, signal).catch(ignoreNotFound);
}

const claimsOf = (pod: Pod): readonly string[] => podClaims(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`);

/** A claim stays until no pod that has still to end uses it. */
export function claimProtectionController({ client, informers }: ControlPlaneDeps): ControllerSpec {
  const pods = informers.for(Pods);
  pods.addIndex(CLAIM, claimsOf);
  const claims = informers.reader(PersistentVolumeClaims);
  return {
    name: 'persistentvolumeclaim-protection',
    watches: [watch(PersistentVolumeClaims), watch(Pods, ({ object }) => claimsOf(object))],
    async reconcile(key, signal) {
      const claim = claims.get(key);
      if (claim === undefined) return;
      // A pod without a node has not begun to use anything.
      const used = pods.store.byIndex(CLAIM, key).some((pod) => !isTerminal(pod) && Boolean(pod.spec.nodeName));
      await protect(client, PersistentVolumeClaims, claim, CLAIM_FINALIZER, used, signal);
    },
  };
}

/** A volume stays while a claim is bound to it. */
export function volumeProtectionController({ client, informers }: ControlPlaneDeps): ControllerSpec {
  const volumes = informers.reader(PersistentVolumes);
  return {
    name: 'persistentvolume-protection',
    watches: [watch(PersistentVolumes)],
    async reconcile(key, signal) {
      const volume = volumes.get(key);
      if (volume === undefined) return;
      const used = volume.status?.phase === 'Bound';
      await protect(client, PersistentVolumes, volume, VOLUME_FINALIZER, used, signal);
    },
  };
}
