import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/bundle-once.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores are the smallest machine we promise; more files at once than that only makes each of them slower.
    maxWorkers: 2,
  },
})
