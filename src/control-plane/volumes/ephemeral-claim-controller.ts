import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { isAlreadyExists } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { PersistentVolumeClaim } from '../../kube/objects.ts';
import { isTerminal, isTerminating } from '../../kube/pods.ts';
import { PersistentVolumeClaims, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';

/** Makes the claims of generic ephemeral volumes; the garbage collector takes them away with their pod. */
export function ephemeralClaimController({ client, informers }: ControlPlaneDeps): ControllerSpec {
  const pods = informers.reader(Pods);
  const claims = informers.reader(PersistentVolumeClaims);
  return {
    name: 'ephemeral-volume',
    watches: [
      watch(Pods, ({ object }) => (object.spec.volumes?.some(({ ephemeral }) => ephemeral) ? [keyOf(object)] : [])),
      watch(PersistentVolumeClaims, ({ type, object }) => {
        const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === 'Pod');
        return type === 'Deleted' && owner !== undefined ? [`${object.metadata.namespace}/${owner.name}`] : [];
      }),
    ],
    async reconcile(key, signal) {
      const pod = pods.get(key);
      if (pod === undefined || isTerminating(pod) || isTerminal(pod)) return;
      const { name: podName, namespace = '', uid = '' } = pod.metadata;
      for (const { name: volumeName, ephemeral } of pod.spec.volumes ?? []) {
        const template = ephemeral?.volumeClaimTemplate;
        const name = `${podName}-${volumeName}`;
        if (template === undefined || claims.get(`${namespace}/${name}`) !== undefined) continue;
        const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true, blockOwnerDeletion: true };
        const { labels, annotations } = template.metadata ?? {};
        const claim: PersistentVolumeClaim = {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {
            name,
            namespace,
            ...(labels && { labels }),
            ...(annotations && { annotations }),
            ownerReferences: [owner],
          },
          spec: template.spec,
        };
        try {
          await client.create(PersistentVolumeClaims, claim, {}, signal);
        } catch (error) {
          // Somebody else's claim of that name keeps the pod waiting; the scheduler says so.
          if (!isAlreadyExists(error)) throw error;
        }
      }
    },
  };
}
