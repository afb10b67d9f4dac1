import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { ExportFormat } from '#src/corpus/export/export-options.ts'
import { sluice } from '../../../support/sluice.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')

/** Makes `corpus` of three formats in a folder. */
export async function makeCorpus(at: string): Promise<void> {
  await mkdir(join(at, 'papers'))
  for (const name of ['annual-report.pdf', 'boat-passages.csv'])
    await cp(join(ROOT, 'samples', name), join(at, 'papers', name))
  await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nOne line with ünï, 漢字 and 💧.\n')
  const { code, stderr } = await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at })
  expect(code, stderr).toBe(0)
}

/** Exports the chunks of `corpus` into a folder that is named like the format. */
export async function exportAs(at: string, format: ExportFormat): Promise<void> {
  const args = ['export', '--chunks', '--hygiene', '--out', 'corpus', '--to', format, '--format', format]
  const { code, stderr } = await sluice([...args, '--limit', '128'], { cwd: at })
  expect(code, stderr).toBe(0)
}
