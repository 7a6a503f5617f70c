import { asNumber, asObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { completeContainer, hostPorts, requestsFromLimits } from './containers.ts';
import { type Completion, each, fill, within, withinPresent } from './fill.ts';
import { completeResourceList } from './resource-list.ts';
import { completeVolume } from './volumes.ts';

const KINDS_OF_CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

const eachContainer = (spec: JsonObject, complete: Completion): JsonObject =>
  KINDS_OF_CONTAINERS.reduce((done, name) => each(done, name, complete), spec);

/** A pod spec, in a pod or in a template (core/v1 SetDefaults_PodSpec). */
const completePodSpec: Completion = (spec) => {
  // The name that the field had first; both say the same.
  const account = spec.serviceAccountName || spec.serviceAccount;
  const named = account ? { ...spec, serviceAccountName: account, serviceAccount: account } : spec;
  const filled = fill(named, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  const contained = eachContainer(filled, completeContainer);
  const ported = contained.hostNetwork === true ? eachContainer(contained, hostPorts) : contained;
  return withinPresent(each(ported, 'volumes', completeVolume), 'overhead', completeResourceList);
};

/** `spec.template` of a workload. */
export const completePodTemplate: Completion = (template) =>
  within(
    within(template, 'metadata', (meta) => meta),
    'spec',
    completePodSpec,
  );

/** Requests for the whole pod: those of its limits, once it has resources of its own. */
const podLevelRequests: Completion = (spec) =>
  Object.keys(asObject(asObject(spec.resources).limits)).length === 0 ? spec : requestsFromLimits(spec);

const positiveGrace: Completion = (spec) =>
  asNumber(spec.terminationGracePeriodSeconds) < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec;

/** A pod (core/v1 SetDefaults_Pod). */
export const completePod: Completion = (pod) =>
  within(pod, 'spec', (spec) => {
    const complete = completePodSpec(fill(spec, { enableServiceLinks: true }));
    return positiveGrace(podLevelRequests(eachContainer(complete, requestsFromLimits)));
  });
