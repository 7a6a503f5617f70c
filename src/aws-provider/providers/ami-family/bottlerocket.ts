import { type AmiFamily, DEFAULT_FEATURES, defaultVolume } from './family.ts';

/** Bottlerocket: one volume for the system, one for what pods need. */
export const bottlerocket: AmiFamily = {
  name: 'Bottlerocket',
  features: { ...DEFAULT_FEATURES, usesENILimitedMemoryOverhead: false, podsPerCoreEnabled: false },
  ephemeralDevice: '/dev/xvdb',
  defaultBlockDeviceMappings: [defaultVolume('/dev/xvda', '4Gi'), defaultVolume('/dev/xvdb', '20Gi')],
};
