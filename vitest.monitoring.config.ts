import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'

/** The queries of docs/reference/metrics.md in a real Prometheus; skipped with a reason where there is none. */
export default defineConfig({
  test: { ...fast.test, include: ['test/observe/monitoring/*.ts'], exclude: [], maxWorkers: 1 },
})
