import type { Resource } from '../../kube/client.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { KubeObject, Namespace } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { Namespaces } from '../../kube/resources.ts';
import { withCondition } from '../conditions.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { ResourceDirectory } from '../resource-directory.ts';
import { inParallel } from '../writes/parallel.ts';
import { writeStatus } from '../writes/write-status.ts';
import { contentConditions, type Remaining } from './content.ts';

const WORKERS = 4;
const FINALIZER = 'kubernetes';
/** Between two looks at what is left. */
const LOOK_AGAIN = 500;

/** Empties namespaces that are being deleted, and then lets them go. */
export function namespaceController(deps: ControlPlaneDeps, directory: ResourceDirectory): ControllerSpec {
  const { client, informers, clock } = deps;

  async function reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const namespace = informers.reader(Namespaces).get(key);
    if (!namespace || !isTerminating(namespace) || !namespace.spec?.finalizers?.includes(FINALIZER)) return undefined;
    const resources = directory.all.filter(({ namespaced }) => namespaced);
    const remaining: Remaining[] = [];
    await inParallel(resources, async (resource) => {
      const left = await empty(deps, resource, key, signal);
      if (left) remaining.push(left);
    });
    if (remaining.length > 0) {
      await report(namespace, remaining);
      return { requeueAfter: LOOK_AGAIN };
    }
    const finalizers = namespace.spec.finalizers.filter((finalizer) => finalizer !== FINALIZER);
    const emptied = { ...namespace, spec: { ...namespace.spec, finalizers } };
    await client.update(Namespaces, emptied, { subresource: 'finalize' }, signal).catch(ignoreNotFound);
    return undefined;

    async function report(object: Namespace, left: readonly Remaining[]): Promise<void> {
      const now = clock.now();
      const conditions = contentConditions(left).reduce(
        (list, condition) => withCondition(list, condition, now),
        object.status?.conditions ?? [],
      );
      await writeStatus(client, Namespaces, object, { ...object.status, conditions }, signal);
    }
  }

  return { name: 'namespace', workers: WORKERS, watches: [watch(Namespaces)], reconcile };
}

/** Deletes all objects of a resource, and tells which of them are still there. */
async function empty(
  { client }: ControlPlaneDeps,
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
): Promise<Remaining | undefined> {
  const { items } = await client.list(resource, { namespace }, signal);
  await inParallel(
    items.filter((object) => !isTerminating(object)),
    async ({ metadata: { name } }) => {
      const options = { propagationPolicy: 'Background' } as const;
      await client.delete(resource, { name, namespace }, options, signal).catch(ignoreNotFound);
    },
  );
  if (items.length === 0) return undefined;
  const left = (await client.list(resource, { namespace }, signal)).items;
  return left.length === 0 ? undefined : { resource, count: left.length, finalizers: countFinalizers(left) };
}

function countFinalizers(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  return counts;
}
