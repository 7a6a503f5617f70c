import { eksUserData } from './bootstrap/eks-script.ts';
import { type AliasParameter, type AmiFamily, DEFAULT_FEATURES, defaultVolume, LATEST } from './family.ts';
import { type ImageRequirements, NEURON, NVIDIA, STANDARD } from './variants.ts';

/** Suffix of the parameter's folder, infix of the image's name, and what the image is for. */
const IMAGES: readonly (readonly [suffix: string, infix: string, variants: readonly ImageRequirements[]])[] = [
  ['', '', [STANDARD]],
  ['-arm64', 'arm64-', [STANDARD]],
  ['-gpu', 'gpu-', [NEURON, NVIDIA]],
];

function aliasParameters(kubernetes: string, version: string): readonly AliasParameter[] {
  return IMAGES.map(([suffix, infix, variants]) => {
    const image = version === LATEST ? 'recommended' : `amazon-eks-${infix}node-${kubernetes}-${version}`;
    return {
      name: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2${suffix}/${image}/image_id`,
      isMutable: version === LATEST,
      variants,
    };
  });
}

/** Amazon Linux 2. Its user data also sets up Ubuntu. */
export const al2: AmiFamily = {
  name: 'AL2',
  features: DEFAULT_FEATURES,
  ephemeralDevice: '/dev/xvda',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '20Gi')],
  aliasParameters,
  userData: eksUserData,
};
