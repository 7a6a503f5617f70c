import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,kwok-provider,commands,hack,test}/**/*.test.ts'],
    exclude: ['test/parity/**', 'test/e2e/**', 'test/bench/**'],
    globalSetup: ['test/support/build-program.ts'],
    pool: 'threads',
    // One more than the cores for which this has to be quick: many tests wait for programs that they start.
    maxWorkers: 3,
    testTimeout: 20_000,
  },
});
