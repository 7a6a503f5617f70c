import { nodeadmUserData } from './bootstrap/nodeadm.ts';
import { type AliasParameter, type AmiFamily, DEFAULT_FEATURES, defaultVolume, LATEST } from './family.ts';
import { type ImageRequirements, NEURON, NVIDIA, STANDARD } from './variants.ts';

const IMAGES: readonly (readonly [architecture: string, variant: string, requirements: ImageRequirements])[] = [
  ['x86_64', 'standard', STANDARD],
  ['x86_64', 'nvidia', NVIDIA],
  ['x86_64', 'neuron', NEURON],
  ['arm64', 'standard', STANDARD],
  ['arm64', 'nvidia', NVIDIA],
];

function aliasParameters(kubernetes: string, version: string): readonly AliasParameter[] {
  return IMAGES.map(([architecture, variant, requirements]) => {
    const named = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-${version}`;
    const image = version === LATEST ? 'recommended' : named;
    const folder = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023`;
    return {
      name: `${folder}/${architecture}/${variant}/${image}/image_id`,
      isMutable: version === LATEST,
      variants: [requirements],
    };
  });
}

/** Amazon Linux 2023. */
export const al2023: AmiFamily = {
  name: 'AL2023',
  features: { ...DEFAULT_FEATURES, supportsArbitraryKubeletConfig: true },
  ephemeralDevice: '/dev/xvda',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '20Gi')],
  aliasParameters,
  userData: nodeadmUserData,
};
