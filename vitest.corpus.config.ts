import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'

/** Exports and entry points in the programs that read them; what cannot be installed is skipped with a reason. */
export default defineConfig({
  test: { ...fast.test, include: ['test/corpus/programs/*.ts'], exclude: [], maxWorkers: 1, testTimeout: 600_000 },
})
