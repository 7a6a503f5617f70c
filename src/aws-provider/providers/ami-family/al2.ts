import { type AmiFamily, DEFAULT_FEATURES, defaultVolume } from './family.ts';

/** Amazon Linux 2. Its user data also sets up Ubuntu. */
export const al2: AmiFamily = {
  name: 'AL2',
  features: DEFAULT_FEATURES,
  ephemeralDevice: '/dev/xvda',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '20Gi')],
};
