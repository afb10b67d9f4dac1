import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'
import { InThisOrder } from './test/support/longest-first.ts'
import { SLOW_FILES } from './test/support/slow-files.ts'

/**
 * One file at a time, in the order of the list: several of them start a dozen processes, and one measures throughput.
 */
export default defineConfig({
  test: {
    ...fast.test,
    include: SLOW_FILES,
    exclude: [],
    sequence: { sequencer: InThisOrder },
    maxWorkers: 1,
  },
})
