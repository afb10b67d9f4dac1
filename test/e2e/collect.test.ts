import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore, receipts, savedLongAgo } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'

const DOCUMENTS = 30
const DAY_MS = 24 * 3_600_000

async function write(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 0; number < DOCUMENTS; number++)
    await writeFile(join(folder, `${name}${number}.csv`), `${name}${number}`)
}

/** As if the receipts had been marked twenty days ago. */
async function markedLongAgo(out: string): Promise<void> {
  const path = join(out, '.sluice', 'unused-receipts.json')
  const marks = JSON.parse(await readFile(path, 'utf8')) as { readonly marked: readonly object[] }
  const at = new Date(Date.now() - 20 * DAY_MS).toISOString()
  await writeFile(path, JSON.stringify({ ...marks, marked: marks.marked.map((marked) => ({ ...marked, at })) }))
}

/*
 * The hard case: receipts that are old and unused when gc reads them, and that the run takes up again at the same time,
 * because its options are those of long ago.
 */
test('gc during a run removes no receipt that the run just saved or reused', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({ answers: () => ({ delayMs: 100 }) }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  await write(source, 'old')
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  expect((await sluice(['run', source, '--formats', 'markdown,links', ...flags])).code).toBe(0)
  expect(service.charged).toBe(2 * DOCUMENTS)
  await savedLongAgo(out)
  const refused = await sluice(['gc', '--out', out])
  expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('30 of 60 receipts are unused')])
  const dry = (await sluice(['gc', '--dry-run', '--force', '--out', out])).stdout
  expect(dry).toContain(`${DOCUMENTS} unused receipts would be marked`)
  expect((await sluice(['gc', '--force', '--out', out])).stdout).toContain(`${DOCUMENTS} unused receipts marked`)
  await markedLongAgo(out)

  await write(source, 'new')
  const run = startSluice(['run', source, '--concurrency', '2', ...flags])
  let collections = 0
  while (run.child.exitCode === null) {
    const { code, stderr } = await sluice(['gc', '--force', '--out', out])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    collections += 1
  }
  expect((await run.finished).code).toBe(0)
  expect(collections).toBeGreaterThan(1)

  const there = (await receipts(out)).map((path) => path.slice(path.lastIndexOf('/') + 1, -'.json.gz'.length))
  const { records } = await readStore(out)
  expect(records.size).toBe(2 * DOCUMENTS)
  const lost = [...records.values()].filter(({ receipt }) => receipt === null || !there.includes(receipt))
  expect(lost.map(({ key }) => key)).toEqual([])
}, 240_000)

test('gc removes nothing while records are missing, and the next run buys nothing again', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  const flags = ['--out', out, '--state-dir', join(folder.path, 'state')]
  const run = () => sluice(['run', source, '--parse-api-url', service.url, '--parse-api-key', 'key', ...flags])
  await write(source, 'old')
  expect((await run()).code).toBe(0)
  await savedLongAgo(out)
  const [documents, away] = [join(out, 'documents'), join(folder.path, 'away')]
  await rename(documents, away)
  for (const more of [[], ['--now'], ['--now', '--force']]) {
    const { code, stdout } = await sluice(['gc', ...flags, ...more])
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^nothing was removed: 30 documents .* no intact record/)])
  }
  // Without the ledger it is the number of unused receipts that shows it.
  const alone = ['--out', out, '--state-dir', join(folder.path, 'other')]
  expect((await sluice(['gc', ...alone])).stdout).toMatch(/^nothing was removed: 30 of 30 receipts are unused/)
  expect((await sluice(['gc', ...alone, '--force'])).stdout).toMatch(/^0 receipts removed\n30 unused receipts marked/)
  expect(await receipts(out)).toHaveLength(DOCUMENTS)
  const last = (await run()).stdout
  expect(last).toMatch(/30 done/)
  expect(service.charged).toBe(DOCUMENTS)
  await rm(away, { recursive: true })
  // What is used again is marked no more.
  expect((await sluice(['gc', ...flags])).stdout).toMatch(/^0 receipts removed$/m)
}, 240_000)

test('gc removes an unused receipt a week after marking it, and at once with --now', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  const gc = async (...more: readonly string[]) => (await sluice(['gc', '--out', out, ...more])).stdout.trim()
  await write(source, 'old')
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  for (const number of [0, 1, 2]) await writeFile(join(source, `old${number}.csv`), `changed ${number}`)
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  await savedLongAgo(out)
  expect(await gc()).toMatch(/^0 receipts removed\n3 unused receipts marked: /)
  expect(await gc()).toMatch(/^0 receipts removed\n3 unused receipts marked: /)
  // A version that comes back takes its receipt up again.
  await writeFile(join(source, 'old0.csv'), 'old0')
  await markedLongAgo(out)
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  expect(service.charged).toBe(DOCUMENTS + 3)
  await savedLongAgo(out)
  expect(await gc()).toMatch(/^2 receipts removed\n1 unused receipt marked: /)
  expect(await receipts(out)).toHaveLength(DOCUMENTS + 1)
  expect(await gc('--now')).toBe('1 receipt removed')
  expect(await gc()).toBe('0 receipts removed')
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
}, 240_000)
