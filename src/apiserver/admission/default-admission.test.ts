import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest } from '../registry/admission-chain.ts';
import type { WriteRequest } from '../registry/request.ts';
import { defaultAdmission } from './default-admission.ts';

type Others = Readonly<Record<string, readonly JsonObject[]>>;

const named = (name: string, rest: JsonObject): JsonObject => ({ metadata: { name, namespace: 'n' }, ...rest });

function requestOf(plural: string, object: JsonObject, others: Others, old?: JsonObject): AdmissionRequest {
  const list = (collection: string): readonly JsonObject[] => others[collection] ?? [];
  const resource = { group: '', version: 'v1', plural, collection: plural };
  return {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    request: { resource, namespace: 'n', name: '', subresource: '' } as unknown as WriteRequest,
    object,
    ...(old === undefined ? {} : { old }),
    objects: {
      list,
      get: (collection, _namespace, name) =>
        list(collection).find((other) => (other.metadata as JsonObject).name === name),
    },
  };
}

function admit(plural: string, object: JsonObject, others: Others = {}, old?: JsonObject): JsonObject {
  const changed = defaultAdmission.mutate(requestOf(plural, object, others, old));
  defaultAdmission.validate(requestOf(plural, changed, others, old));
  defaultAdmission.checkQuotas(requestOf(plural, changed, others, old));
  return changed;
}

const pod = (spec: JsonObject = {}, name = 'p'): JsonObject =>
  named(name, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

const asking = (requests: JsonObject, name = 'p'): JsonObject =>
  pod({ containers: [{ name: 'c', image: 'i', resources: { requests } }] }, name);

describe('admission of pods', () => {
  it('lets them outlive a failed node for five minutes', () => {
    expect((admit('pods', pod()).spec as JsonObject).tolerations).toEqual(
      ['not-ready', 'unreachable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    );
    const all = [{ operator: 'Exists' }];
    expect((admit('pods', pod({ tolerations: all })).spec as JsonObject).tolerations).toEqual(all);
  });

  const classes = {
    'scheduling.k8s.io/priorityclasses': [
      named('usual', { value: 7, globalDefault: true }),
      named('high', { value: 90, preemptionPolicy: 'Never' }),
    ],
  };

  it('takes their priority from their class or the default one', () => {
    expect(admit('pods', pod(), classes).spec).toMatchObject({ priority: 7, priorityClassName: 'usual' });
    expect(admit('pods', pod({ priorityClassName: 'high' }), classes).spec).toMatchObject({
      priority: 90,
      preemptionPolicy: 'Never',
    });
    expect(admit('pods', pod()).spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  it('refuses priorities that are not the class’s', () => {
    expect(() => admit('pods', pod({ priorityClassName: 'none' }), classes)).toThrow(
      'pods "p" is forbidden: no PriorityClass with name none was found',
    );
    expect(() => admit('pods', pod({ priority: 5 }), classes)).toThrow(
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 7 from the given PriorityClass name',
    );
  });

  it('refuses an overhead that no runtime class gives', () => {
    expect(() => admit('pods', pod({ overhead: { cpu: '1' } }))).toThrow(
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });
});

describe('limit ranges', () => {
  const ranges = (limit: JsonObject): Others => ({ limitranges: [named('l', { spec: { limits: [limit] } })] });

  it('fill in and note it', () => {
    const limit = { type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '1' } };
    const admitted = admit('pods', pod(), ranges(limit));
    expect(admitted).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container c; cpu, memory limit for container c',
        },
      },
      spec: { containers: [{ resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } }] },
    });
  });

  it('bound containers and pods', () => {
    const low = ranges({ type: 'Container', min: { cpu: '1' } });
    expect(() => admit('pods', asking({ cpu: '500m' }), low)).toThrow(
      'minimum cpu usage per Container is 1, but request is 500m',
    );
    expect(() => admit('pods', pod(), low)).toThrow('minimum cpu usage per Container is 1.  No request is specified');
    const high = ranges({ type: 'Pod', max: { memory: '1Gi' } });
    expect(() => admit('pods', asking({ memory: '2Gi' }), high)).toThrow(
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
    );
  });
});

describe('quotas', () => {
  const quota = (spec: JsonObject): Others => ({ resourcequotas: [named('q', { spec })] });

  it('count what is there and what comes', () => {
    const others = { ...quota({ hard: { 'requests.cpu': '2' } }), pods: [asking({ cpu: '1500m' }, 'other')] };
    expect(() => admit('pods', asking({ cpu: '600m' }), others)).toThrow(
      'pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=1500m, limited: requests.cpu=2',
    );
    expect(() => admit('pods', asking({ cpu: '500m' }), others)).not.toThrow();
  });

  it('ask every container how much it needs', () => {
    expect(() => admit('pods', pod(), quota({ hard: { 'limits.cpu': '2' } }))).toThrow(
      'failed quota: q: must specify limits.cpu for: c',
    );
  });

  it('forget pods that are done', () => {
    const done = { ...pod({}, 'other'), status: { phase: 'Succeeded' } };
    expect(() => admit('pods', pod(), { ...quota({ hard: { pods: '1' } }), pods: [done] })).not.toThrow();
  });

  it('count only pods of their scopes', () => {
    const others = quota({ hard: { pods: '0' }, scopes: ['BestEffort'] });
    expect(() => admit('pods', asking({ cpu: '1' }), others)).not.toThrow();
    expect(() => admit('pods', pod(), others)).toThrow(
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });

  it('count objects of any kind', () => {
    const others = quota({ hard: { 'count/secrets': '1' } });
    expect(() => admit('secrets', named('s', {}), { ...others, secrets: [named('t', {})] })).toThrow(
      'secrets "s" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
    );
  });
});

describe('claims and nodes', () => {
  const classes = (made: Readonly<Record<string, string>>): Others => ({
    'storage.k8s.io/storageclasses': Object.entries(made).map(([name, creationTimestamp]) => ({
      metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    })),
  });

  it('claims take the newest default class', () => {
    const others = classes({ old: '2020-01-01T00:00:00Z', new: '2021-01-01T00:00:00Z' });
    expect(admit('persistentvolumeclaims', named('c', { spec: {} }), others)).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { storageClassName: 'new' },
    });
    expect(admit('persistentvolumeclaims', named('c', { spec: { storageClassName: '' } }), others).spec).toEqual({
      storageClassName: '',
    });
  });

  it('claims grow where their class lets them', () => {
    const claim = (storage: string): JsonObject =>
      named('c', { spec: { resources: { requests: { storage } } }, status: { phase: 'Bound' } });
    expect(() => admit('persistentvolumeclaims', claim('2Gi'), {}, claim('1Gi'))).toThrow(
      'only dynamically provisioned pvc can be resized',
    );
  });

  it('nodes begin as not ready', () => {
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    expect(admit('nodes', named('n', { spec: {} })).spec).toEqual({ taints: [taint] });
    expect(admit('nodes', named('n', { spec: { taints: [taint] } })).spec).toEqual({ taints: [taint] });
  });
});
