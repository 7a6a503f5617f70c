import { badRequest, conflict, notFound, objectModified, refusal } from '../api-refusals.ts';
import { asArray, asObject, asObjects, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, metaOf, nameOf, withMeta } from '../object-meta.ts';
import { admitBody } from '../registry/admit-body.ts';
import { checkNamespaceTakes } from '../registry/check-namespace.ts';
import { decodeBody } from '../registry/decode-body.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { WriteRequest } from '../registry/request.ts';

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };
const pods = { group: '', resource: 'pods' };
const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** The labels of its node that a pod takes over when it is bound (upstream's PodTopologyLabels admission). */
const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region', 'kubernetes.io/hostname'];

/** The binding subresource: puts a pod on a node. Throws ApiError, 409 for a pod that has one. */
export async function bindPod(deps: RegistryDeps, request: WriteRequest, body: unknown): Promise<JsonObject> {
  const binding = await decodeBody(request, deps.kinds.named(bindingKind), body);
  const name = request.name || nameOf(binding);
  if (nameOf(binding) !== name) throw badRequest('name in URL does not match name in Binding object');
  checkNamespaceTakes(deps, request, name);
  const target = asObject(binding.target);
  const node = asString(target.name);
  const kind = asString(target.kind);
  if (kind && kind !== 'Node') {
    throw refusal(500, '', `target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`);
  }
  if (!node) throw refusal(500, '', 'target.name: Required value');
  assign(deps, request, name, node, await admitBody(deps, request, binding, bindingKind));
  await deps.store.committed();
  return success;
}

function assign(deps: RegistryDeps, request: WriteRequest, name: string, node: string, binding: JsonObject): void {
  const key = `${request.namespace}/${name}`;
  const pod = deps.store.get('pods', key);
  if (!pod) throw notFound(pods, name);
  const { uid, resourceVersion } = metaOf(binding);
  if (uid && uid !== metaOf(pod).uid) {
    throw conflict(
      pods,
      name,
      `StorageError: invalid object, Code: 4, Key: /registry/pods/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaOf(pod).uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== metaOf(pod).resourceVersion) throw objectModified(pods, name);
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);
  const spec = asObject(pod.spec);
  if (isDeleting(pod)) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${asString(spec.nodeName)}"`);
  if (asArray(spec.schedulingGates).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);

  const { annotations, labels } = metaOf(binding);
  const nodeLabels = asObject(metaOf(deps.store.get('nodes', node) ?? {}).labels);
  const taken = Object.fromEntries(
    topologyLabels
      .filter((label) => label in nodeLabels && label !== 'kubernetes.io/hostname')
      .map((label) => [label, nodeLabels[label]]),
  );
  const merged = { ...asObject(metaOf(pod).labels), ...taken, ...asObject(labels) };
  const { nominatedNodeName: _, ...status } = asObject(pod.status);
  const bound = withMeta(
    { ...pod, spec: { ...spec, nodeName: node }, status: { ...status, conditions: scheduled(deps, pod) } },
    {
      ...(annotations ? { annotations: { ...asObject(metaOf(pod).annotations), ...asObject(annotations) } } : {}),
      ...(Object.keys(merged).length > 0 ? { labels: merged } : {}),
    },
  );
  if (!request.dryRun) deps.store.put('pods', key, bound);
}

/** The pod's conditions with PodScheduled true. */
function scheduled({ clock }: RegistryDeps, pod: JsonObject): readonly JsonObject[] {
  const conditions = asObjects(asObject(pod.status).conditions);
  const old = conditions.find((condition) => condition.type === 'PodScheduled');
  const since = old?.status === 'True' ? old.lastTransitionTime : timestamp(clock.now());
  const now: JsonObject = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: since ?? null,
    ...(old?.observedGeneration === undefined ? {} : { observedGeneration: old.observedGeneration }),
  };
  return old ? conditions.map((condition) => (condition === old ? now : condition)) : [...conditions, now];
}
