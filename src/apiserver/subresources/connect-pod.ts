import { badRequest, notFound, refusal } from '../api-refusals.ts';
import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { getObject } from '../registry/get-object.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { ResourceRequest } from '../registry/request.ts';

/** Subresources that a real server passes on to the node's kubelet, or to the pod itself. */
const connecting = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export const connects = ({ subresource }: ResourceRequest): boolean =>
  connecting.has(subresource.split('/')[0] ?? subresource);

/**
 * What can be said of a connection without a kubelet to make it to. Returns for a log that is empty so far; otherwise
 * throws ApiError.
 */
export function connectPod(deps: RegistryDeps, request: ResourceRequest, container: string): void {
  const object = getObject(deps, request);
  const subresource = request.subresource.split('/')[0] ?? '';
  if (request.resource.collection !== 'pods') throw unreachable(request.name);
  if (subresource === 'proxy') throw badRequest('address not allowed');
  if (subresource !== 'portforward') checkContainer(object, container);
  const node = asString(asObject(object.spec).nodeName);
  if (!node) {
    if (subresource === 'log') return;
    throw badRequest(`pod ${request.name} does not have a host assigned`);
  }
  if (!deps.store.get('nodes', node)) throw notFound({ group: '', resource: 'pods' }, node);
  throw unreachable(node);
}

function checkContainer(pod: JsonObject, container: string): void {
  const spec = asObject(pod.spec);
  const name = asString(asObject(pod.metadata).name);
  const main = asObjects(spec.containers).map((one) => asString(one.name));
  const others = [...asArray(spec.initContainers), ...asArray(spec.ephemeralContainers)].map((one) =>
    asString(asObject(one).name),
  );
  if (container === '') {
    if (main.length === 1) return;
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]`);
  }
  if ([...main, ...others].includes(container)) return;
  throw badRequest(`container ${container} is not valid for pod ${name}`);
}

const unreachable = (node: string) =>
  refusal(500, '', `node "${node}" has no kubelet that could be reached: pods of this cluster do not really run`);
