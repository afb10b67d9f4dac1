import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { predictPage } from '#src/route/predict-page.ts'
import { buildPdf, paragraph } from '../support/build-pdf.ts'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { randomPage } from '../support/mixed-pages/random-page.ts'
import { sluice } from '../support/sluice.ts'

interface PlanLine {
  readonly credits: number
  readonly policies: readonly { readonly policy: string; readonly credits: { low: number; high: number } | null }[]
}

const page = {
  content: paragraph(
    60,
    80,
    Array.from({ length: 20 }, () => 'plain words of a page that was born digital'),
  ),
}

/** A scan that is noise for the most part. */
const UNREADABLE = { seed: 62_001_060, severity: 5.57 }

test('plan prices every policy: unknown at first, from an audit as an interval, and exactly once the engine has read all', async () => {
  await using folder = await temporaryFolder()
  const [source, out, audit] = ['in', 'out', 'audit.json'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(source)
  await writeFile(join(source, 'clean.pdf'), buildPdf([page, page, page]))
  await writeFile(join(source, 'noise.pdf'), (await randomPage(UNREADABLE.seed, UNREADABLE.severity)).pdf)
  await writeFile(join(source, 'broken.pdf'), '%PDF-1.4\nno objects of a PDF')
  const paid = ['--parse-api-url', 'http://127.0.0.1:9']
  const plan = async (...more: readonly string[]): Promise<PlanLine> => {
    const { code, stdout, stderr } = await sluice(['plan', source, '--out', out, ...paid, '--json', ...more])
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as PlanLine
  }
  const priceOf = ({ policies }: PlanLine, name: string) => policies.find(({ policy }) => policy === name)?.credits

  const before = await plan()
  expect(before.credits).toBe(5)
  expect(priceOf(before, 'local')).toEqual({ low: 0, high: 0 })
  expect(priceOf(before, 'service')).toEqual({ low: 5, high: 5 })
  expect(priceOf(before, 'local-first, page quality 0.9')).toBeNull()
  const reported = await sluice(['plan', source, '--out', out, ...paid])
  expect(reported.stdout).toMatch(/3 PDFs not read by the embedded engine yet: run once without --parse-api-url/)

  const staying = await plan('--never-send', '**')
  expect(staying.policies.map(({ credits }) => credits)).toEqual(staying.policies.map(() => ({ low: 0, high: 0 })))

  const sample = Array.from({ length: 40 }, (_, at) => ({ expectedQuality: at < 10 ? 0.3 : 1 }))
  await writeFile(audit, JSON.stringify({ schema: 1, sample, firstPageCredits: 1, furtherPageCredits: 1 }))
  const sampled = priceOf(await plan('--audit', audit), 'local-first, page quality 0.9')
  expect(sampled?.low).toBeLessThanOrEqual(1)
  expect(sampled?.high).toBeGreaterThanOrEqual(1)

  expect((await sluice(['run', source, '--out', out])).code).not.toBe(1)
  const { records } = await readStore(out)
  const below = (quality: number): number =>
    [...records.values()].reduce((sum, { grade }) => {
      const pages =
        grade?.pages.map(
          (one, at) =>
            predictPage({ grade: one ?? 1, expected: grade.expected?.[at] ?? null }, grade.engine).expectedQuality,
        ) ?? []
      return sum + pages.filter((expected) => expected < quality).length
    }, 0)
  const after = await plan()
  expect(below(0.9)).toBe(1)
  for (const quality of [0.9, 0.95, 0.98]) {
    // The PDF that the engine refused is bought as a whole.
    const credits = below(quality) + 1
    expect(priceOf(after, `local-first, page quality ${quality}`)).toEqual({ low: credits, high: credits })
  }
  expect(priceOf(after, 'service')).toEqual({ low: 4, high: 4 })
  const byPage = await plan('--route', 'local-first')
  expect(priceOf(byPage, 'local-first, page quality 0.9')).toEqual({ low: 2, high: 2 })
  const kept = await plan('--route', 'local')
  expect(kept.credits).toBe(0)
  expect(priceOf(kept, 'local-first, page quality 0.9')).toEqual({ low: 2, high: 2 })
  expect(priceOf(kept, 'service')).toEqual({ low: 4, high: 4 })
}, 240_000)

test('plan refuses a file that no audit wrote, in one sentence', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'x.json')
  await writeFile(file, '{"schema": 9, "sample": []}')
  const later = await sluice(['plan', 'samples', '--audit', file])
  expect([later.code, later.stderr]).toEqual([1, expect.stringMatching(/written by another release of Sluice/)])
  await writeFile(file, 'no json')
  expect((await sluice(['plan', 'samples', '--audit', file])).stderr).toMatch(/this is no audit.json of sluice audit/)
  expect((await sluice(['plan', 'samples', '--audit', join(folder.path, 'gone')])).code).toBe(1)
})
