import { type AmiFamily, DEFAULT_FEATURES, defaultVolume } from './family.ts';

/** Amazon Linux 2023. */
export const al2023: AmiFamily = {
  name: 'AL2023',
  features: { ...DEFAULT_FEATURES, supportsArbitraryKubeletConfig: true },
  ephemeralDevice: '/dev/xvda',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '20Gi')],
};
