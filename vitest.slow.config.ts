import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'
import { InThisOrder } from './test/support/longest-first.ts'
import { LONG_FILES, QUIET_FILES } from './test/support/slow-files.ts'

const project = (name: string, include: string[], maxWorkers: number, groupOrder: number) => ({
  test: { ...fast.test, name, include, exclude: [], sequence: { sequencer: InThisOrder, groupOrder }, maxWorkers },
})

/** First what may run two at a time, then what needs the machine for itself, in the order of the lists. */
export default defineConfig({
  test: {
    sequence: { sequencer: InThisOrder },
    projects: [project('long', LONG_FILES, 2, 0), project('quiet', QUIET_FILES, 1, 1)],
  },
})
