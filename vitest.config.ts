import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // As the launcher has it: hundreds of processes are started, and each would strip and compile four hundred files.
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/node') },
    // Two cores are the smallest machine we promise; more files at once than that only makes each of them slower.
    maxWorkers: 2,
  },
})
