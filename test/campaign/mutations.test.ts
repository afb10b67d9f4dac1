import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants.ts'

const ROOT = join(import.meta.dirname, '../..')

test.each(Object.entries(MUTANTS))('the text that the mutant %s changes is in the program', async (_, patches) => {
  for (const [file, from] of patches) expect(await readFile(join(ROOT, file), 'utf8'), file).toContain(from)
})
