/** Requirements of claims, in few words. */
export const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In' as const, values });
export const capacityTypes = (...values: string[]) => isIn('karpenter.sh/capacity-type', ...values);
export const types = (...values: string[]) => isIn('node.kubernetes.io/instance-type', ...values);
/** By the letters of the region's zones. */
export const zones = (...letters: string[]) =>
  isIn('topology.kubernetes.io/zone', ...letters.map((letter) => `us-west-2${letter}`));
