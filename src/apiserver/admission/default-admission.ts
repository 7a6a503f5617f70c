import { asObject, asObjects } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest } from '../registry/admission-chain.ts';
import { checkLimits, withDefaultLimits } from './limit-ranges.ts';
import {
  checkOverhead,
  keepPriority,
  withDefaultTolerations,
  withPriority,
  withRuntimeClass,
} from './pod-admission.ts';
import { refusing } from './refuse.ts';
import { checkQuotas } from './resource-quotas.ts';
import { checkExpansion, withDefaultClass, withFinalizer } from './storage-admission.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods until it is known to be ready. */
const withNotReady = (node: JsonObject): JsonObject => {
  const spec = asObject(node.spec);
  const taints = asObjects(spec.taints);
  const tainted = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  return tainted ? node : { ...node, spec: { ...spec, taints: [...taints, NOT_READY] } };
};

const admitPod = (request: AdmissionRequest): JsonObject => {
  const { object, old, objects, operation } = request;
  const refuse = refusing(request);
  if (operation === 'UPDATE') return withDefaultTolerations(keepPriority(object, old ?? {}));
  const limited = withDefaultLimits(object, objects, request.request.namespace);
  return withRuntimeClass(withDefaultTolerations(withPriority(limited, objects, refuse)), objects, refuse);
};

type Admit = (request: AdmissionRequest) => JsonObject;

const created =
  (admit: Admit): Admit =>
  (request) =>
    request.operation === 'CREATE' ? admit(request) : request.object;

const MUTATIONS: Readonly<Record<string, Admit>> = {
  nodes: created(({ object }) => withNotReady(object)),
  persistentvolumeclaims: created(({ object, objects }) =>
    withFinalizer(withDefaultClass(object, objects), 'kubernetes.io/pvc-protection'),
  ),
  persistentvolumes: created(({ object }) => withFinalizer(object, 'kubernetes.io/pv-protection')),
  pods: admitPod,
};

const isWrite = ({ operation, request }: AdmissionRequest): boolean =>
  request.subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');

/** The plugins that kube-apiserver has on by default and that need nothing but other objects. */
export const defaultAdmission = {
  mutate: (request: AdmissionRequest): JsonObject =>
    isWrite(request) ? (MUTATIONS[request.request.resource.collection]?.(request) ?? request.object) : request.object,

  validate: (request: AdmissionRequest): void => {
    if (!isWrite(request)) return;
    const { object, old, objects, operation } = request;
    const { collection } = request.request.resource;
    const refuse = refusing(request);
    if (collection === 'pods' && operation === 'CREATE') {
      checkLimits('pod', object, objects, refuse);
      checkOverhead(object, objects, refuse);
    }
    if (collection === 'persistentvolumeclaims') {
      checkLimits('claim', object, objects, refuse);
      if (old !== undefined) checkExpansion(object, old, objects, refuse);
    }
  },

  /** Comes last, once nothing else refuses. */
  checkQuotas: (request: AdmissionRequest): void => {
    if (isWrite(request)) checkQuotas(request, refusing(request));
  },
};
