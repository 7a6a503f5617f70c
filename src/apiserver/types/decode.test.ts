import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import { BuiltinTypes } from './builtin-types.ts';
import { decode } from './decode.ts';

const types = new BuiltinTypes();

function decodeAs(apiVersion: string, kind: string, object: JsonObject) {
  const struct = types.kind(apiVersion, kind);
  if (struct === undefined) throw new RangeError(`no ${kind} in ${apiVersion}`);
  return decode(object, struct);
}

const configMap = (object: JsonObject) => decodeAs('v1', 'ConfigMap', object);
const pod = (spec: JsonObject) => decodeAs('v1', 'Pod', { spec: { containers: [], ...spec } });
const container = (fields: JsonObject) => pod({ containers: [{ name: 'c', ...fields }] });
const lease = (renewTime: string) => decodeAs('coordination.k8s.io/v1', 'Lease', { spec: { renewTime } });

describe('decoding a built-in kind', () => {
  it('drops unknown fields and names them in document order', () => {
    const result = pod({
      containers: [{ name: 'c', imagePullPolcy: 'x', ports: [{ containerPort: 80, portt: 1 }] }],
      foo: 1,
    });
    expect(result.unknown).toEqual([
      'unknown field "spec.containers[0].imagePullPolcy"',
      'unknown field "spec.containers[0].ports[0].portt"',
      'unknown field "spec.foo"',
    ]);
    expect(result.object).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }], resources: {} }] },
      status: {},
    });
  });

  it('stops noting unknown fields at a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`x${index}`, 1]));
    expect(configMap(many).unknown).toHaveLength(100);
  });

  it('drops nulls, empty lists and empty maps', () => {
    const metadata = { name: 'a', labels: {}, annotations: null, finalizers: [], ownerReferences: [] };
    expect(configMap({ metadata, data: {}, immutable: null }).object).toEqual({ metadata: { name: 'a' } });
  });

  it('turns nulls inside maps and lists into zero values', () => {
    expect(configMap({ data: { k: null } }).object).toEqual({ metadata: {}, data: { k: '' } });
    expect(container({ args: ['a', null] }).object.spec).toMatchObject({ containers: [{ args: ['a', ''] }] });
  });

  it('writes fields that Go always writes', () => {
    const role = decodeAs('rbac.authorization.k8s.io/v1', 'ClusterRole', { metadata: { name: 'r' }, rules: [] });
    expect(role.object).toEqual({ metadata: { name: 'r' }, rules: null });
    const service = decodeAs('v1', 'Service', { spec: { ports: [{ port: 80 }] } });
    expect(service.object).toMatchObject({
      spec: { ports: [{ port: 80, targetPort: 0 }] },
      status: { loadBalancer: {} },
    });
  });

  it('keeps a pointer to a zero value but not the zero value itself', () => {
    const spec = { replicas: 0, paused: false, minReadySeconds: 0, selector: {}, template: {} };
    expect(decodeAs('apps/v1', 'Deployment', { spec }).object.spec).toEqual({
      replicas: 0,
      selector: {},
      template: { metadata: {}, spec: { containers: null } },
      strategy: {},
    });
  });

  it.each([
    ['0.5', '500m'],
    [1, '1'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1e3', '1e3'],
  ])('writes the quantity %j as %s', (given, written) => {
    const limits = { resources: { limits: { cpu: given } } };
    expect(container(limits).object.spec).toMatchObject({ containers: [{ resources: { limits: { cpu: written } } }] });
  });

  it('keeps both names of the service account the same, and amounts in thousandths', () => {
    expect(pod({ serviceAccount: 'a' }).object.spec).toMatchObject({ serviceAccountName: 'a', serviceAccount: 'a' });
    const both = pod({ serviceAccountName: 'n', serviceAccount: 'o' }).object.spec;
    expect(both).toMatchObject({ serviceAccountName: 'n', serviceAccount: 'n' });
    const limits = { cpu: '0.0001', memory: '1u', storage: '1500m' };
    expect(container({ resources: { limits } }).object.spec).toMatchObject({
      containers: [{ resources: { limits: { cpu: '1m', memory: '1m', storage: '1500m' } } }],
    });
  });

  it('cuts times to seconds and moves them to UTC', () => {
    expect(configMap({ metadata: { creationTimestamp: '2020-01-01T02:00:00.9+02:00' } }).object).toEqual({
      metadata: { creationTimestamp: '2020-01-01T00:00:00Z' },
    });
    expect(lease('2001-01-01T00:00:00.500000Z').object.spec).toEqual({ renewTime: '2001-01-01T00:00:00.500000Z' });
  });

  it.each([
    ['yesterday', 'cannot parse "yesterday" as "2006"'],
    ['2001-01-01T00:00:00Z', 'cannot parse "Z" as ".000000"'],
    ['2001-01-01T00:00:00.123Z', 'cannot parse ".123Z" as ".000000"'],
    ['2001-01-01T00:00:00.123456789Z', 'cannot parse "789Z" as "Z07:00"'],
  ])('refuses the micro time %s', (text, reason) => {
    expect(() => lease(text)).toThrow(`parsing time "${text}" as "2006-01-02T15:04:05.000000Z07:00": ${reason}`);
  });

  it.each([
    ['2001-13-01T00:00:00Z', 'parsing time "2001-13-01T00:00:00Z": month out of range'],
    ['2001-02-30T00:00:00Z', 'parsing time "2001-02-30T00:00:00Z": day out of range'],
    ['2001-02-03T00:00:00Zx', 'parsing time "2001-02-03T00:00:00Zx": extra text: "x"'],
  ])('refuses the time %s', (text, reason) => {
    expect(() => configMap({ metadata: { creationTimestamp: text } })).toThrow(reason);
  });

  it.each<[string, () => unknown, string]>([
    [
      'a number for text',
      () => configMap({ data: { k: 5 } }),
      'number into Go struct field ConfigMap.data of type string',
    ],
    [
      'a bool for a map',
      () => configMap({ metadata: { labels: true } }),
      'bool into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'an object for a list',
      () => pod({ containers: {} }),
      'object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'text for a number',
      () => container({ ports: [{ containerPort: 'x' }] }),
      'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'a named type',
      () => container({ imagePullPolicy: 1 }),
      'number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
    ],
    [
      'an inlined struct',
      () => pod({ volumes: [{ emptyDir: 'x' }] }),
      'string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
    ],
    [
      'too great a number',
      () => decodeAs('apps/v1', 'Deployment', { spec: { replicas: 3e9 } }),
      'number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'a number for a time',
      () => configMap({ metadata: { creationTimestamp: 1 } }),
      'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
  ])('refuses %s in the words of Go', (_, run, message) => {
    expect(run).toThrow(`json: cannot unmarshal ${message}`);
  });

  it('refuses base64 with the byte where it breaks, and what is no quantity', () => {
    expect(() => decodeAs('v1', 'Secret', { data: { k: '***' } })).toThrow('illegal base64 data at input byte 0');
    expect(() => container({ resources: { requests: { cpu: 'abc' } } })).toThrow(
      'quantities must match the regular expression',
    );
  });

  it('keeps a field named __proto__ as data', () => {
    const data = JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject;
    expect(JSON.stringify(configMap(data).object.data)).toBe('{"__proto__":"x"}');
  });

  it('changes nothing when it decodes its own result', () => {
    const once = pod({ containers: [{ name: 'c', resources: { limits: { cpu: '0.1', memory: '1500Mi' } } }] }).object;
    expect(decodeAs('v1', 'Pod', once)).toEqual({ object: once, unknown: [] });
  });
});
