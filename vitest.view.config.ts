import { defineConfig } from 'vitest/config'
import fast from './vitest.config.ts'

/** The pages of `sluice view` in a real Chromium; skipped with a reason where there is none. */
export default defineConfig({
  test: { ...fast.test, include: ['test/view/browser/*.ts'], exclude: ['test/view/browser/support/**'], maxWorkers: 1 },
})
