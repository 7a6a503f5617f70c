import { bottlerocketToml } from './bootstrap/bottlerocket-toml.ts';
import { type AliasParameter, type AmiFamily, DEFAULT_FEATURES, defaultVolume, LATEST } from './family.ts';
import { type ImageRequirements, NEURON, NVIDIA, STANDARD } from './variants.ts';

const IMAGES: readonly (readonly [suffix: string, architecture: string, variants: readonly ImageRequirements[]])[] = [
  ['', 'x86_64', [STANDARD, NEURON]],
  ['', 'arm64', [STANDARD]],
  ['-nvidia', 'x86_64', [NVIDIA]],
  ['-nvidia', 'arm64', [NVIDIA]],
];

function aliasParameters(kubernetes: string, version: string): readonly AliasParameter[] {
  // Releases are called `v1.46.0` where they are published, and `1.46.0` here.
  const release = version.replace(/^v+/, '');
  return IMAGES.map(([suffix, architecture, variants]) => ({
    name: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${suffix}/${architecture}/${release}/image_id`,
    isMutable: version === LATEST,
    variants,
  }));
}

/** Bottlerocket: one volume for the system, one for what pods need. */
export const bottlerocket: AmiFamily = {
  name: 'Bottlerocket',
  features: { ...DEFAULT_FEATURES, usesENILimitedMemoryOverhead: false, podsPerCoreEnabled: false },
  ephemeralDevice: '/dev/xvdb',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '4Gi'), defaultVolume('/dev/xvdb', '20Gi')],
  aliasParameters,
  userData: bottlerocketToml,
};
