import { type AmiFamily, DEFAULT_FEATURES } from './family.ts';

/** Images of which Karpenter knows nothing: users set their nodes up themselves. */
export const custom: AmiFamily = {
  name: 'Custom',
  features: DEFAULT_FEATURES,
  defaultBlockDeviceMappings: [],
  aliasParameters: () => [],
  // Nothing is added: not even labels and taints.
  userData: ({ customUserData = '' }) => customUserData,
};
