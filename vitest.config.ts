import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,kwok-provider,commands,hack,test}/**/*.test.ts'],
    exclude: ['test/parity/**', 'test/e2e/**', 'test/bench/**'],
    globalSetup: ['test/support/build-program.ts'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
