import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, PodStatus } from './objects.ts';
import { podLimits, podRequests, podSpecRequests } from './pod-requests.ts';

const container = (name: string, cpu: string, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});
const sidecar = (name: string, cpu: string): Container => container(name, cpu, { restartPolicy: 'Always' });
const cpuOf = (spec: PodSpec): number | undefined => podSpecRequests(spec).cpu;

describe('what a pod needs', () => {
  it('is the sum of its containers', () => {
    expect(cpuOf({ containers: [container('a', '1'), container('b', '250m')] })).toBe(1250);
  });

  it('is the largest init container when that is more', () => {
    const containers = [container('a', '1')];
    expect(cpuOf({ containers, initContainers: [container('i', '3'), container('j', '2')] })).toBe(3000);
    expect(cpuOf({ containers, initContainers: [container('i', '500m')] })).toBe(1000);
  });

  it('counts sidecars with the containers, and with the init containers that start after them', () => {
    const containers = [container('a', '1')];
    expect(cpuOf({ containers, initContainers: [sidecar('s', '1')] })).toBe(2000);
    expect(cpuOf({ containers, initContainers: [sidecar('s', '1'), container('i', '3')] })).toBe(4000);
    expect(cpuOf({ containers, initContainers: [container('i', '3'), sidecar('s', '1')] })).toBe(3000);
  });

  it('is what the pod as a whole asks for, where it does, and overhead comes on top', () => {
    const requests = podSpecRequests({
      containers: [{ name: 'a', resources: { requests: { cpu: '1', 'example.com/disk': '2' } } }],
      resources: { requests: { cpu: '3', 'example.com/disk': '9' } },
      overhead: { cpu: '100m', memory: '1Mi' },
    });
    expect(requests).toEqual({ cpu: 3100, 'example.com/disk': 2000, memory: 1_048_576_000 });
  });

  const resizing = (asked: string, status: PodStatus): number | undefined => {
    const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [container('a', asked)] }, status };
    return podRequests(pod).cpu;
  };
  const given = (allocated: string, actual: string): PodStatus => ({
    containerStatuses: [
      { name: 'a', allocatedResources: { cpu: allocated }, resources: { requests: { cpu: actual } } },
    ],
  });

  it('is the most of asked for, allocated and in effect while a container is resized', () => {
    expect(resizing('1', given('2', '1'))).toBe(2000);
    expect(resizing('1', given('1', '4'))).toBe(4000);
    expect(resizing('5', given('1', '1'))).toBe(5000);
  });

  it('leaves out a resize that can not be done', () => {
    const conditions = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] as const;
    expect(resizing('5', { ...given('1', '2'), conditions })).toBe(2000);
  });
});

describe('what a pod may use', () => {
  it('adds overhead only to what is limited', () => {
    const limits = podLimits({
      containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }],
      overhead: { cpu: '100m', memory: '1Mi' },
    });
    expect(limits).toEqual({ cpu: 1100 });
  });
});
