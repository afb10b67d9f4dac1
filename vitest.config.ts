import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { SLOW_FILES } from './test/support/slow-files.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: SLOW_FILES,
    globalSetup: ['test/support/in-memory.ts'],
    // As the launcher has it, for what is started from its sources.
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/node') },
    // No file changes what another one finds: modules keep no state, and what is in `process` is put back.
    isolate: false,
    // Node runs our sources as they are; nothing is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // Longer than `until` of test/support/wait.ts waits on a busy machine, so that a failure says what it waited for.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine we promise; further files at a time use what others leave while they wait.
    maxWorkers: 4,
  },
})
