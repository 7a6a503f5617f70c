import { defineConfig } from 'vitest/config';

/** Tests against real parts: the built program with kubectl, and upstream Karpenter. `hack/test` builds those first. */
export default defineConfig({
  test: {
    include: ['test/{e2e,parity}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
