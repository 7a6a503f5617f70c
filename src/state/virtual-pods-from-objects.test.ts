import { expect, test } from 'vitest';
import { capacityBuffer, deployment, requesting } from '../../test/factories/index.ts';
import type { KubeObject, PodTemplate } from '../kube/objects.ts';
import { virtualPodsFromObjects } from './virtual-pods-from-objects.ts';

const template: PodTemplate = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 't', namespace: 'default' },
  template: { spec: requesting({ cpu: '1' }) },
};
const web = deployment(10, { metadata: { name: 'web' } });
const elsewhere = { ...template, metadata: { name: 't', namespace: 'other' } };

test.each<[string, Parameters<typeof capacityBuffer>[0], readonly KubeObject[], number]>([
  ['a template', { podTemplateRef: { name: 't' }, replicas: 2 }, [template], 2],
  ['a workload', { scalableRef: { kind: 'Deployment', name: 'web' }, percentage: 30 }, [web], 3],
  ['a template of another namespace', { podTemplateRef: { name: 't' }, replicas: 2 }, [elsewhere], 0],
  ['a workload that is not there', { scalableRef: { kind: 'StatefulSet', name: 'web' }, replicas: 2 }, [web], 0],
  ['another strategy', { podTemplateRef: { name: 't' }, replicas: 2, provisioningStrategy: 'x' }, [template], 0],
])('a buffer of %s', (_, spec, objects, expected) => {
  const pods = virtualPodsFromObjects([capacityBuffer(spec), ...objects], '2026-01-01T00:00:00Z');
  expect(pods.length).toBe(expected);
});
