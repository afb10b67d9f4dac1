import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { receiptId, sourceKey } from '#src/document/ids.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { collect, letterOf } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

const redis = await shared(startTestRedis())

const SIGNAL = new AbortController().signal
const LONG_AGO = Date.now() - 30 * 24 * 3_600_000

async function makeReceiptsOld({ deps }: Workbench): Promise<void> {
  const folder = join(fileURLToPath(deps.store.url), 'receipts')
  const dirents = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of dirents.filter((dirent) => dirent.isFile())) {
    await utimes(join(parentPath, name), LONG_AGO / 1000, LONG_AGO / 1000)
  }
}

/** Two documents whose receipts nothing refers to any more, saved long ago. */
async function benchWithUnused(): Promise<Workbench> {
  const bench = await openWorkbench({ redis })
  for (const name of ['a.csv', 'b.csv']) {
    await bench.write(name, name)
    await bench.ingest(name)
    await bench.deps.store.documents.remove(sourceKey(name))
  }
  await makeReceiptsOld(bench)
  return bench
}

test('gc keeps an old receipt that a worker reuses after the records were read', async () => {
  await using bench = await benchWithUnused()
  const { store } = bench.deps
  const unused = unusedReceipts(store, SIGNAL)
  const first = await unused.next()
  if (first.done === true) throw new Error('nothing was found')
  expect(Math.abs(first.value.savedAt - LONG_AGO)).toBeLessThan(1_000)
  for (const name of ['a.csv', 'b.csv']) await bench.ingest(name)
  const second = await unused.next()
  if (second.done === true) throw new Error('only one was found')
  expect(Date.now() - second.value.savedAt).toBeLessThan(60_000)
  expect((await store.documents.read(sourceKey('a.csv')))?.cost.basis).toBe('saved')
  expect(bench.service.charged).toBe(2)
  expect(await collect(unusedReceipts(store, SIGNAL))).toEqual([])
})

test('a dead letter keeps an answer that cannot be made into outputs', async () => {
  await using bench = await benchWithUnused()
  const { store } = bench.deps
  const [one, two] = await collect(unusedReceipts(store, SIGNAL))
  if (one === undefined || two === undefined) throw new Error('two were to be found')
  const [contentHash, recipeHash] = one.id.split('-') as [never, never]
  expect(receiptId(contentHash, recipeHash, 'service')).toBe(one.id)
  await store.deadLetters.bury(letterOf('a.csv', { contentHash, recipeHash }))
  expect((await collect(unusedReceipts(store, SIGNAL))).map(({ id }) => id)).toEqual([two.id])
})
