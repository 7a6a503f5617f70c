import type { CloudProvider } from '../../src/cloudprovider/types.ts';

/** The provider with some of its methods replaced. */
export function alteredCloud(base: CloudProvider, changes: Partial<CloudProvider>): CloudProvider {
  return new Proxy(base, {
    get: (target, key: keyof CloudProvider) => {
      if (key in changes) return changes[key];
      const value = target[key];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
