import { asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { type Completion, chain, each, fill, withinPresent } from './fill.ts';
import { completeResourceList } from './resource-list.ts';

/** Whether an image has no tag, or the tag `latest`: such images are pulled each time. */
const isLatest = (image: string): boolean => {
  const [name = ''] = image.split('@');
  const tag = /:([^/:]*)$/.exec(name)?.[1];
  return tag === 'latest' || (tag === undefined && name === image);
};

const httpGet: Completion = (action) => fill(action, { path: '/', scheme: 'HTTP' });

const grpc: Completion = (action) => fill(action, { service: '' });

const probe: Completion = chain(
  (object) => fill(object, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  (object) => withinPresent(object, 'httpGet', httpGet),
  (object) => withinPresent(object, 'grpc', grpc),
);

const lifecycle: Completion = (object) =>
  ['postStart', 'preStop'].reduce(
    (done, name) => withinPresent(done, name, (handler) => withinPresent(handler, 'httpGet', httpGet)),
    object,
  );

const fieldRef: Completion = (reference) => fill(reference, { apiVersion: 'v1' });

const variable: Completion = (object) =>
  withinPresent(object, 'valueFrom', (source) => {
    const named = withinPresent(source, 'fieldRef', fieldRef);
    const counted = withinPresent(named, 'resourceFieldRef', (reference) => fill(reference, { divisor: '0' }));
    return withinPresent(counted, 'fileKeyRef', (reference) => fill(reference, { optional: false }));
  });

const port: Completion = (object) => fill(object, { protocol: 'TCP' });

const resources: Completion = (object) =>
  ['limits', 'requests'].reduce((done, name) => withinPresent(done, name, completeResourceList), object);

/** One container of a pod or of a pod template (core/v1 SetDefaults_Container and below). */
export const completeContainer: Completion = (container) => {
  const policy = isLatest(asString(container.image)) ? 'Always' : 'IfNotPresent';
  const filled = fill(container, {
    imagePullPolicy: policy,
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  const listed = each(each(filled, 'ports', port), 'env', variable);
  const probed = ['livenessProbe', 'readinessProbe', 'startupProbe'].reduce(
    (done, name) => withinPresent(done, name, probe),
    listed,
  );
  return withinPresent(withinPresent(probed, 'lifecycle', lifecycle), 'resources', resources);
};

/** Requests that are not given are those of the limits. */
export const requestsFromLimits: Completion = (container) => {
  const given = asObject(container.resources);
  const limits = asObject(given.limits);
  if (Object.keys(limits).length === 0) return container;
  const requests = asObject(given.requests);
  const all: JsonObject = fill(requests, limits);
  return all === requests ? container : { ...container, resources: { ...given, requests: all } };
};

/** Ports of pods on the node's network are the node's own. */
export const hostPorts: Completion = (container) =>
  each(container, 'ports', (object) => {
    const hostPort = object.hostPort ?? 0;
    return hostPort === 0 ? { ...object, hostPort: object.containerPort } : object;
  });

/** Fields of a downward API file or of a projected one. */
export const downwardItems: Completion = (source) =>
  each(source, 'items', (item) => withinPresent(item, 'fieldRef', fieldRef));
