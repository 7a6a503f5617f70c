import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import { builtInRules } from './built-in-rules.ts';

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced?: boolean;
}

function rulesOf({ apiVersion, kind, namespaced = true }: Sample) {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const rules = builtInRules({ group, version, kind }, namespaced);
  if (rules === undefined) throw new RangeError(`no rules for ${kind}`);
  const named = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: {
      name: 'x',
      ...(namespaced ? { namespace: 'n' } : {}),
      resourceVersion: '1',
      ...(object.metadata as JsonObject | undefined),
    },
  });
  const complete = (object: JsonObject): JsonObject => rules.applyDefaults?.(named(object)) ?? named(object);
  const lines = (errors: readonly { readonly field: string; readonly message: string }[] = []): readonly string[] => [
    ...new Set(errors.map(({ field, message }) => `${field}: ${message}`)),
  ];
  return {
    complete,
    create: (object: JsonObject) => lines(rules.validateCreate?.(complete(object))),
    update: (object: JsonObject, old: JsonObject, subresource = '') =>
      lines(rules.validateUpdate?.(complete(object), complete(old), subresource)),
  };
}

const pods = rulesOf({ apiVersion: 'v1', kind: 'Pod' });
const container = (fields: JsonObject = {}): JsonObject => ({ name: 'c', image: 'busybox:1.36', ...fields });
const pod = (spec: JsonObject = {}): JsonObject => ({ spec: { containers: [container()], ...spec } });

describe('a pod', () => {
  it('gets what kube-apiserver fills in', () => {
    expect(pods.complete(pod()).spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      containers: [
        {
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
    });
    expect(pods.create(pod())).toEqual([]);
  });

  it('asks for what it is limited to', () => {
    const completed = pods.complete(pod({ containers: [container({ resources: { limits: { cpu: '2' } } })] }));
    expect(completed).toMatchObject({ spec: { containers: [{ resources: { requests: { cpu: '2' } } }] } });
  });

  const wrong: readonly [JsonObject, string][] = [
    [pod({ containers: [] }), 'spec.containers: Required value'],
    [pod({ containers: [{ name: 'c' }] }), 'spec.containers[0].image: Required value'],
    [pod({ containers: [container(), container()] }), 'spec.containers[1].name: Duplicate value: "c"'],
    [
      pod({ restartPolicy: 'Sometimes' }),
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      pod({ containers: [container({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } })] }),
      'spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
    ],
    [
      pod({ containers: [container({ ports: [{ containerPort: 70_000 }] })] }),
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    [
      pod({ containers: [container({ volumeMounts: [{ name: 'gone', mountPath: '/x' }] })] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "gone"',
    ],
  ];
  for (const [object, expected] of wrong) {
    it(`is refused with ${expected.slice(0, 60)}`, () => {
      expect(pods.create(object)).toEqual([expected]);
    });
  }

  it('changes little once it is there', () => {
    const other = pod({ containers: [container({ image: 'busybox:1.37' })] });
    expect(pods.update(other, pod())).toEqual([]);
    const [refusal = ''] = pods.update(pod({ containers: [container({ command: ['sh'] })] }), pod());
    expect(refusal).toMatch(/^spec: Forbidden: pod updates may not change fields other than/);
  });
});

describe('a deployment', () => {
  const deployments = rulesOf({ apiVersion: 'apps/v1', kind: 'Deployment' });
  const of = (spec: JsonObject = {}, labels: JsonObject = { app: 'a' }): JsonObject => ({
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels }, spec: { containers: [container()] } },
      ...spec,
    },
  });

  it('rolls by a quarter and keeps ten revisions unless told otherwise', () => {
    expect(deployments.complete(of()).spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
  });

  it('must select its own template', () => {
    expect(deployments.create(of({}, { app: 'b' }))).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"b"}: `selector` does not match template `labels`',
    ]);
  });

  it('keeps its selector', () => {
    const changed = of({ selector: { matchLabels: { app: 'a', b: 'c' } } }, { app: 'a', b: 'c' });
    expect(deployments.update(changed, of())).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable',
    ]);
  });

  it('can be neither negative nor more ready than it is', () => {
    expect(deployments.create(of({ replicas: -1 }))).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
    expect(deployments.update({ ...of(), status: { replicas: 1, readyReplicas: 2 } }, of(), 'status')).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });
});

describe('metadata', () => {
  const maps = rulesOf({ apiVersion: 'v1', kind: 'ConfigMap' });

  it('is held to the rules of names and labels', () => {
    expect(maps.create({ metadata: { name: 'A' } })[0]).toMatch(
      /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of/,
    );
    expect(maps.create({ metadata: { labels: { k: 'a b' } } })[0]).toMatch(/^metadata\.labels: Invalid value: "a b": /);
    expect(maps.create({ metadata: { annotations: { '/x': '' } } })[0]).toMatch(/prefix part must be non-empty/);
  });

  it('keeps its name', () => {
    expect(maps.update({ metadata: { name: 'y' } }, {})).toContain(
      'metadata.name: Invalid value: "y": field is immutable',
    );
  });
});

describe('other kinds', () => {
  it('a frozen ConfigMap keeps its data', () => {
    const maps = rulesOf({ apiVersion: 'v1', kind: 'ConfigMap' });
    const of = (value: string): JsonObject => ({ immutable: true, data: { k: value } });
    expect(maps.update(of('b'), of('a'))).toEqual(['data: Forbidden: field is immutable when `immutable` is set']);
  });

  it('a service names its ports once it has two', () => {
    const services = rulesOf({ apiVersion: 'v1', kind: 'Service' });
    expect(services.create({ spec: { ports: [{ port: 1 }, { port: 2, name: 'b' }] } })).toEqual([
      'spec.ports[0].name: Required value',
    ]);
    expect(services.create({ spec: { type: 'Magic', ports: [{ port: 1 }] } })).toEqual([
      'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ]);
  });

  it('a node has each taint once', () => {
    const nodes = rulesOf({ apiVersion: 'v1', kind: 'Node', namespaced: false });
    const taint = { key: 'k', value: 'v', effect: 'NoExecute' };
    expect(nodes.create({ spec: { taints: [taint, { ...taint, value: 'w' }] } })).toEqual([
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"w","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
    ]);
    expect(nodes.update({ spec: { providerID: 'b' } }, { spec: { providerID: 'a' } })).toEqual([
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
  });

  it('a claim asks for storage', () => {
    const claims = rulesOf({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    expect(claims.create({ spec: { accessModes: ['ReadWriteOnce'], resources: {} } })).toEqual([
      'spec.resources[storage]: Required value',
    ]);
  });

  it('a binding keeps its role', () => {
    const bindings = rulesOf({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' });
    const of = (name: string): JsonObject => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    });
    expect(bindings.update(of('b'), of('a'))).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
    ]);
  });

  it('a budget says one of two things', () => {
    const budgets = rulesOf({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' });
    expect(budgets.create({ spec: { minAvailable: '120%' } })).toEqual([
      'spec.minAvailable: Invalid value: "120%": must not be greater than 100%',
    ]);
    expect(budgets.create({ spec: { minAvailable: 1, maxUnavailable: 1 } })[0]).toMatch(
      /minAvailable and maxUnavailable cannot be both set$/,
    );
  });

  it('a job keeps its completions', () => {
    const jobs = rulesOf({ apiVersion: 'batch/v1', kind: 'Job' });
    const of = (completions: number): JsonObject => ({
      spec: {
        completions,
        selector: { matchLabels: { a: 'b' } },
        manualSelector: true,
        template: { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Never', containers: [container()] } },
      },
    });
    expect(jobs.create(of(2))).toEqual([]);
    expect(jobs.update(of(3), of(2))).toEqual(['spec.completions: Invalid value: 3: field is immutable']);
  });
});
