import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildPdf, paragraph } from '../support/build-pdf.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { Random } from '../support/random.ts'
import { parsedReply, type ReceivedRequest, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

const WORDS = 'annual report revenue costs margin forecast harbour vessel cargo notice order delivery interest'.split(
  ' ',
)

/** The words that a page cut out of one of our PDFs shows: its content stream is not compressed. */
const truthOf = ({ file }: ReceivedRequest): string =>
  [...(file?.content?.toString('latin1') ?? '').matchAll(/\((.*?)\) Tj/g)].map(([, words]) => words).join('\n')

function documentOf(pages: number, random: Random): Buffer {
  return buildPdf(
    Array.from({ length: pages }, () => {
      const lines = Array.from({ length: 20 }, () => Array.from({ length: 8 }, () => random.pick(WORDS)).join(' '))
      return { content: paragraph(60, 80, lines) }
    }),
  )
}

test('an audit buys each sampled page once, every tenth twice, reports the agreement, and buys nothing again with its seed', async () => {
  await using folder = await tempFolder()
  // Every fourth answer misses half of the page.
  await using service = await new ScriptedService({
    answers: (request) => {
      const truth = truthOf(request)
      const half = truth.split('\n').slice(0, 5).join('\n')
      return parsedReply(request.number % 4 === 0 ? half : truth)
    },
  }).listen()
  const [source, out, report] = ['in', 'out', 'report'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(source)
  const random = new Random(5)
  for (const pages of [1, 2, 5, 12]) await writeFile(join(source, `${pages}.pdf`), documentOf(pages, random))
  await writeFile(join(source, 'page.html'), '<p>No PDF.')
  const audit = (...more: readonly string[]) =>
    sluice(['audit', source, '--out', out, '--parse-api-url', service.url, '--report', report, ...more])

  const first = await audit('--sample', '10', '--seed', '7')
  expect(first.code, first.stderr).toBe(0)
  expect(first.stdout).toMatch(/10 pages of 20 in 4 PDFs parsed by both, 11 credits charged by this audit/)
  expect(first.stdout).toMatch(/not sampled: 1 document of other formats/)
  expect(first.stdout).toMatch(
    /at most 5.0 % of the local pages differ: the sample is too small to certify this; it needs at least 59 pages/,
  )
  expect(first.stdout).toMatch(/at most 2.0 % .* at least 149 pages/)
  expect(service.charged).toBe(11)
  const file = JSON.parse(await readFile(join(report, 'audit.json'), 'utf8')) as {
    sample: { agreement: { text: number }; selfAgreement: unknown; grade: number }[]
  }
  expect(file.sample).toHaveLength(10)
  expect(file.sample.filter(({ selfAgreement }) => selfAgreement !== null)).toHaveLength(1)
  expect(file.sample.filter(({ agreement }) => agreement.text < 0.9).length).toBeGreaterThanOrEqual(1)
  expect(file.sample.filter(({ agreement }) => agreement.text === 1).length).toBeGreaterThanOrEqual(6)
  for (const { grade } of file.sample) expect(grade).toBeGreaterThan(0.9)
  expect(JSON.stringify(file)).not.toContain('vessel')

  const again = await audit('--sample', '10', '--seed', '7')
  expect(again.code, again.stderr).toBe(0)
  expect(again.stdout).toMatch(/10 pages of 20 in 4 PDFs parsed by both, 0 credits charged by this audit/)
  expect(service.charged).toBe(11)
}, 240_000)

test('an audit ends at its cap with exit code 3 and resumes from its receipts', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({ answers: (request) => parsedReply(truthOf(request)) }).listen()
  const [source, out, report] = ['in', 'out', 'report'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(source)
  await writeFile(join(source, 'a.pdf'), documentOf(8, new Random(1)))
  const audit = (...more: readonly string[]) =>
    sluice(['audit', source, '--out', out, '--parse-api-url', service.url, '--report', report, '--seed', '3', ...more])

  const capped = await audit('--sample', '8', '--max-credits', '4')
  expect(capped.code, capped.stderr).toBe(3)
  expect(capped.stdout).toMatch(/stopped early: .*Receipts are kept: run again with --seed 3 to continue/)
  expect(service.charged).toBeLessThanOrEqual(4)

  const rest = await audit('--sample', '8')
  expect(rest.code, rest.stderr).toBe(0)
  expect(service.charged).toBe(9)
}, 240_000)

test('an audit without a service names the missing setting', async () => {
  const { code, stderr } = await sluice(['audit', 'samples', '--sample', '5'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/audit compares the embedded engine with a service: give one with --parse-api-url/)
})
