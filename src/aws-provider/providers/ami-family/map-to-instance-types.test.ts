import { expect, test } from 'vitest';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { mapToInstanceTypes } from './map-to-instance-types.ts';
import { NVIDIA, STANDARD } from './variants.ts';

const type = (name: string, labels: Readonly<Record<string, string>>): InstanceType => ({
  name,
  requirements: Requirements.fromLabels(labels),
  offerings: [],
  capacity: {},
  overhead: {},
});

test('8: each instance type takes the first image that is for it', () => {
  const types = [
    type('m5', { 'kubernetes.io/arch': 'amd64' }),
    type('p3', { 'kubernetes.io/arch': 'amd64', 'karpenter.k8s.aws/instance-gpu-count': '1' }),
    type('m6g', { 'kubernetes.io/arch': 'arm64' }),
    type('m6i', { 'kubernetes.io/arch': 'amd64' }),
  ];
  const amd64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] } as const;
  const mapped = mapToInstanceTypes(types, [
    { id: 'gpu', requirements: [...NVIDIA, amd64] },
    { id: 'standard', requirements: [...STANDARD, amd64] },
    { id: 'older', requirements: [amd64] },
  ]);
  expect([...mapped].map(([id, members]) => [id, ...members.map(({ name }) => name)])).toEqual([
    ['standard', 'm5', 'm6i'],
    ['gpu', 'p3'],
  ]);
});
