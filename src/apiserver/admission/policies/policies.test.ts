import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyObject, refusal, resource } from '../../../../test/support/api-objects.ts';
import type { Client } from '../../../kube/client.ts';
import { RealClock } from '../../../operator/clock.ts';
import { SeededRandom } from '../../../operator/random.ts';
import { ApiServer } from '../../index.ts';

const group = 'admissionregistration.k8s.io';
const ConfigMaps = resource('', 'configmaps', 'ConfigMap');
const Deployments = resource('apps', 'deployments', 'Deployment');
const Namespaces = resource('', 'namespaces', 'Namespace', false);

let client: Client;
beforeEach(async () => {
  const server = await ApiServer.open({ clock: new RealClock(), random: new SeededRandom(1) });
  client = server.client();
  return () => server.stop();
});

const rulesFor = (plural: string, operations: readonly string[] = ['CREATE', 'UPDATE']) => ({
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations, resources: [plural] }],
});

/** Makes a policy and its binding, both named p. */
async function bind(sort: 'Validating' | 'Mutating', policy: object, binding: object = {}): Promise<void> {
  const plural = `${sort.toLowerCase()}admissionpolic`;
  const kind = `${sort}AdmissionPolicy`;
  const defaults = sort === 'Validating' ? { validationActions: ['Deny'] } : {};
  const object = (name: string, spec: object): AnyObject => ({
    apiVersion: `${group}/v1`,
    kind: name,
    metadata: { name: 'p' },
    spec,
  });
  const spec = sort === 'Validating' ? policy : { reinvocationPolicy: 'Never', ...policy };
  await client.create(resource(group, `${plural}ies`, kind, false), object(kind, spec));
  await client.create(
    resource(group, `${plural}ybindings`, `${kind}Binding`, false),
    object(`${kind}Binding`, { policyName: 'p', ...defaults, ...binding }),
  );
}

const configMap = (name: string, rest: object = {}): AnyObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  ...rest,
});

const deployment = (replicas: number): AnyObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('a ValidatingAdmissionPolicy', () => {
  it('compares an update with what was there, and lets go of what it is not about', async () => {
    await bind('Validating', {
      matchConstraints: rulesFor('configmaps', ['UPDATE']),
      validations: [{ expression: 'object.data.k == oldObject.data.k', message: 'k stays' }],
    });
    await client.create(ConfigMaps, configMap('a', { data: { k: '1' } }));
    await client.update(ConfigMaps, configMap('a', { data: { k: '1', other: 'x' } }));
    expect(await refusal(client.update(ConfigMaps, configMap('a', { data: { k: '2' } })))).toMatch(/^422 .*: k stays$/);
  });

  it('sees a Scale where the scale subresource is written, and the params of its binding', async () => {
    await client.create(ConfigMaps, configMap('limits', { data: { most: '3' } }));
    await bind(
      'Validating',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: rulesFor('deployments/scale'),
        validations: [{ expression: 'object.spec.replicas <= int(params.data.most)', reason: 'Forbidden' }],
      },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    );
    await client.create(Deployments, deployment(1));
    const scale = (replicas: number) =>
      client.patch(
        Deployments,
        { name: 'd', namespace: 'default' },
        { type: 'merge', body: { spec: { replicas } } },
        { subresource: 'scale' },
      );
    await scale(3);
    expect(await refusal(scale(4))).toMatch(/^403 deployments.apps "d" is forbidden: .*failed expression: object.spec/);
  });

  it('refuses everything while its params are missing, unless it is to be passed over', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: rulesFor('configmaps'),
      validations: [{ expression: 'true' }],
    };
    await bind('Validating', spec, { paramRef: { name: 'nope', parameterNotFoundAction: 'Deny' } });
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toContain(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
    const Policies = resource(group, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', false);
    await client.patch(Policies, { name: 'p' }, { type: 'merge', body: { spec: { failurePolicy: 'Ignore' } } });
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toBe('');
  });

  it('asks the authorizer, reads the namespace, and computes only the variables that are used', async () => {
    await bind('Validating', {
      matchConstraints: rulesFor('configmaps', ['DELETE']),
      variables: [
        {
          name: 'may',
          expression: "authorizer.group('').resource('pods').namespace('default').check('list').allowed()",
        },
        { name: 'broken', expression: 'object.metadata.nope' },
        { name: 'label', expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']" },
      ],
      validations: [
        { expression: "variables.may && variables.label == 'default' && oldObject.metadata.name != 'kept'" },
      ],
    });
    await client.create(ConfigMaps, configMap('a'));
    await client.create(ConfigMaps, configMap('kept'));
    await client.delete(ConfigMaps, { name: 'a', namespace: 'default' });
    expect(await refusal(client.delete(ConfigMaps, { name: 'kept', namespace: 'default' }))).toMatch(/^422 /);
  });

  it('applies only where a condition holds and the namespace is selected', async () => {
    await bind(
      'Validating',
      {
        matchConstraints: rulesFor('configmaps'),
        matchConditions: [{ name: 'not-mine', expression: "object.metadata.name != 'mine'" }],
        validations: [{ expression: 'false' }],
      },
      { matchResources: { namespaceSelector: { matchLabels: { strict: 'yes' } } } },
    );
    await client.create(ConfigMaps, configMap('a'));
    await client.patch(
      Namespaces,
      { name: 'default' },
      { type: 'merge', body: { metadata: { labels: { strict: 'yes' } } } },
    );
    expect(await refusal(client.create(ConfigMaps, configMap('b')))).toMatch(/failed expression: false$/);
    expect(await refusal(client.create(ConfigMaps, configMap('mine')))).toBe('');
  });

  it('is refused when its expressions do not compile, with the place', async () => {
    const spec = { matchConstraints: rulesFor('configmaps'), validations: [{ expression: 'request.nope == 1' }] };
    expect(await refusal(bind('Validating', spec))).toContain(
      "compilation failed: ERROR: <input>:1:8: undefined field 'nope'\n | request.nope == 1\n | .......^",
    );
  });
});

describe('a MutatingAdmissionPolicy', () => {
  it('merges a configuration into keyed lists, and its result gets defaults', async () => {
    await bind('Mutating', {
      matchConstraints: rulesFor('deployments'),
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: {
            expression: `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
              containers: object.spec.template.spec.containers.map(c,
                Object.spec.template.spec.containers{name: c.name, env: [Object.spec.template.spec.containers.env{name: "A", value: "1"}]})
            }}}}`,
          },
        },
      ],
    });
    const made = (await client.create(Deployments, deployment(1))) as AnyObject;
    const { containers } = (made.spec as { template: { spec: { containers: readonly object[] } } }).template.spec;
    expect(containers).toMatchObject([{ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }]);
  });

  it('refuses to replace what is atomic', async () => {
    await bind('Mutating', {
      matchConstraints: rulesFor('deployments'),
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: {
            expression: 'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}',
          },
        },
      ],
    });
    expect(await refusal(client.create(Deployments, deployment(1)))).toContain(
      'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
    );
  });

  it('patches, escapes keys, and leaves an object alone whose test fails', async () => {
    await bind('Mutating', {
      matchConstraints: rulesFor('configmaps'),
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression: `[
              JSONPatch{op: "test", path: "/data/k", value: "v"},
              JSONPatch{op: "add", path: "/metadata/annotations", value: {}},
              JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/x"), value: "{,}"},
            ]`,
          },
        },
      ],
    });
    const made = await client.create(ConfigMaps, configMap('a', { data: { k: 'v' } }));
    expect(made.metadata.annotations).toEqual({ 'example.com/x': '{,}' });
    const other = await client.create(ConfigMaps, configMap('b', { data: { k: 'other' } }));
    expect(other.metadata.annotations).toBeUndefined();
  });
});
