/** Under which AWS's services of a region are, for those of which no client is among the SDK's packages at hand. */
export const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');
