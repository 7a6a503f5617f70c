import { LABEL_ARCH } from '../../../apis/labels.ts';
import type { NodeSelectorRequirement } from '../../../kube/objects.ts';
import { LABEL_INSTANCE_ACCELERATOR_COUNT, LABEL_INSTANCE_GPU_COUNT } from '../../apis/labels.ts';

/** What instance types an image is for. */
export type ImageRequirements = readonly NodeSelectorRequirement[];

/** For machines without accelerators. */
export const STANDARD: ImageRequirements = [
  { key: LABEL_INSTANCE_ACCELERATOR_COUNT, operator: 'DoesNotExist' },
  { key: LABEL_INSTANCE_GPU_COUNT, operator: 'DoesNotExist' },
];
export const NVIDIA: ImageRequirements = [{ key: LABEL_INSTANCE_GPU_COUNT, operator: 'Exists' }];
export const NEURON: ImageRequirements = [{ key: LABEL_INSTANCE_ACCELERATOR_COUNT, operator: 'Exists' }];

/** Kubernetes' names of EC2's processor architectures; images of others are of no use. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

/** That a node has an image's architecture; undefined for one that Kubernetes nodes don't have. */
export function ofArchitecture(architecture: string | undefined): NodeSelectorRequirement | undefined {
  const name = ARCHITECTURES[architecture ?? ''];
  return name === undefined ? undefined : { key: LABEL_ARCH, operator: 'In', values: [name] };
}
