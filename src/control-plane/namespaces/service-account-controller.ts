import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import { isTerminating } from '../../kube/pods.ts';
import { Namespaces, ServiceAccounts } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { isNamespaceTerminating } from '../writes/pod-control.ts';

const NAME = 'default';

/** Gives every namespace its service account `default`. Keys are namespaces. */
export function serviceAccountController({ client, informers }: ControlPlaneDeps): ControllerSpec {
  return {
    name: 'serviceaccount',
    watches: [
      watch(Namespaces),
      watch(ServiceAccounts, ({ type, object: { metadata } }) =>
        type === 'Deleted' && metadata.name === NAME && metadata.namespace ? [metadata.namespace] : [],
      ),
    ],
    reconcile: async (key, signal) => {
      const namespace = informers.reader(Namespaces).get(key);
      if (!namespace || isTerminating(namespace)) return;
      if (informers.reader(ServiceAccounts).get(`${key}/${NAME}`)) return;
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: key } };
      try {
        await client.create(ServiceAccounts, account, {}, signal);
      } catch (error) {
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      }
    },
  };
}
