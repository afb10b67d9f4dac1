import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { writeLargePdf } from '../support/large-pdf.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MB = 1_000_000

async function archiveOf(path: string, megabytes: number): Promise<{ source: string; out: string }> {
  const [source, out] = [join(path, 'in'), join(path, 'out')]
  await mkdir(source)
  await writeLargePdf(join(source, 'large.pdf'), { pictures: Array.from({ length: megabytes }, () => MB) })
  return { source, out }
}

test('the embedded engine parses a PDF of 60 MB as one document, and refuses other formats of that size', async () => {
  await using folder = await tempFolder()
  const { source, out } = await archiveOf(folder.path, 60)
  await writeFile(join(source, 'large.docx'), Buffer.alloc(60 * MB))
  const ran = await sluice(['run', source, '--out', out, '--mode', 'fast'])
  expect(ran.code).toBe(2)
  expect(ran.stdout + ran.stderr).toContain('large.docx: too_large')
  const store = await readStore(out)
  expect(await breachesOfSchemas(store)).toEqual([])
  expect(store.records.get('large.pdf')).toMatchObject({
    outcome: 'done',
    pages: { parsed: 60, total: 60 },
    pieces: [{ firstPage: 1 }, { lastPage: 60 }],
  })
  const shown = await sluice(['render', '--out', out])
  expect(shown.stdout).toMatch(/0 documents written, 1 unchanged/)
  expect((await sluice(['gc', '--out', out])).stdout).toMatch(/0 receipts removed/)

  const refused = await sluice(['run', source, '--out', join(folder.path, 'whole'), '--no-split-large-pdfs'])
  expect(refused.stdout + refused.stderr).toContain('large.pdf: too_large')
}, 240_000)

test('a worker killed between two pieces of a PDF keeps the paid ones, and the next worker buys the rest', async () => {
  await using folder = await tempFolder()
  const { source, out } = await archiveOf(folder.path, 120)
  let hanging = true
  await using service = await startScriptedService({
    answers: ({ number }) => (hanging && number === 3 ? { fault: 'hang' } : {}),
  })
  const run = ['run', source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  const killed = startSluice([...run, '--takeover-ms', '1000'])
  await expect.poll(() => service.requests.length, { timeout: 240_000 }).toBe(3)
  killed.child.kill('SIGKILL')
  await killed.finished
  hanging = false
  expect((await sluice([...run, '--takeover-ms', '1000'])).code).toBe(0)
  expect(service.requests.length).toBe(4)
  expect([...service.charges.values()]).toEqual([1, 1, 1])
}, 240_000)
