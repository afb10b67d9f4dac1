import { readFileSync } from 'node:fs'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'

/** The pages of a file from `read-pages.ts`, without a last line that a kill cut off. */
export function linesOf(file: string): DrawResult[] {
  const text = readFileSync(file, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DrawResult)
}
