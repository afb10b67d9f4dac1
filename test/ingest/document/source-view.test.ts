import { mkdir, rename } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sourceKey, version } from '#src/document/ids.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { KeySet } from '#src/kit/key-set.ts'
import type { Role } from '#src/ingest/document/source-view.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import { startTestRedis } from '../../support/redis.ts'
import { depsOf, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* A document that the queue names and the source of this process does not show. */

const redis = await shared(startTestRedis())

const RECIPE = (bench: Workbench, name: string) => bench.deps.recipeFor(sourceKey(name), 'csv').hash
const LISTED = version('1-2-3')

/** Another process lists a document; this one does not see it. */
const listElsewhere = ({ deps }: Workbench, ...names: string[]): Promise<void> =>
  deps.ledger.write(
    names.map((name) => [
      sourceKey(name),
      { version: LISTED, recipeHash: deps.recipeFor(sourceKey(name), 'csv').hash, outcome: 'pending' },
    ]),
  )

async function deliver(bench: Workbench, name: string): Promise<JobVerdict['kind']> {
  const { deps } = bench
  const job = {
    schema: 1,
    key: sourceKey(name),
    version: LISTED,
    recipeHash: RECIPE(bench, name),
    bytes: 1,
    queuedAt: Date.now(),
  } as const
  const verdict = await ingestDocument({ job, attempt: 1 }, depsOf(deps), new AbortController().signal)
  if (verdict.kind === 'postpone') expect(verdict.counted).toBe(false)
  return verdict.kind
}

async function lists(bench: Workbench, ...names: string[]): Promise<Role> {
  const listed = new KeySet()
  for (const name of names) listed.add(name)
  return (bench.deps.view.role = { kind: 'lists', listed })
}

const letterOf = (bench: Workbench, name: string) => bench.deps.store.deadLetters.read(sourceKey(name))
const outcomeOf = async ({ deps }: Workbench, name: string) => (await deps.ledger.read([sourceKey(name)]))[0]?.outcome

test('a worker whose mount shows another folder returns every document, and stops with one message', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('other.csv', 'a')
  await listElsewhere(bench, 'x.csv', 'y.csv', 'z.csv')
  for (const name of ['x.csv', 'y.csv']) expect(await deliver(bench, name)).toBe('postpone')
  expect(bench.halts).toEqual([])
  expect(await deliver(bench, 'z.csv')).toBe('postpone')
  expect(bench.halts).toEqual([['source', expect.stringContaining('another folder is mounted at the source, or none')]])
  for (const name of ['x.csv', 'y.csv', 'z.csv']) {
    expect(await letterOf(bench, name)).toBeNull()
    expect(await outcomeOf(bench, name)).toBe('pending')
  }
})

test('a worker whose mount shows another document of the same name buys nothing for it', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('same-name.csv', 'another archive')
  await listElsewhere(bench, 'same-name.csv')
  for (let delivery = 0; delivery < 3; delivery++) expect(await deliver(bench, 'same-name.csv')).toBe('postpone')
  expect(bench.halts).toHaveLength(1)
  expect(bench.service.requests).toHaveLength(0)
})

test('a worker that sees documents of the ledger returns a missing one, without stopping or recording it', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('there.csv', 'a')
  expect((await bench.ingest('there.csv')).kind).toBe('finish')
  await listElsewhere(bench, 'gone.csv', 'also.csv')
  for (let delivery = 0; delivery < 5; delivery++) {
    for (const name of ['gone.csv', 'also.csv']) expect(await deliver(bench, name)).toBe('postpone')
  }
  expect(bench.halts).toEqual([])
  expect(await letterOf(bench, 'gone.csv')).toBeNull()
})

test('a worker ingests a document that changed since its listing while it sees others', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('there.csv', 'a')
  expect((await bench.ingest('there.csv')).kind).toBe('finish')
  await bench.write('changed.csv', 'b')
  await listElsewhere(bench, 'changed.csv')
  expect(await deliver(bench, 'changed.csv')).toBe('finish')
  expect(await outcomeOf(bench, 'changed.csv')).toBe('done')
})

test('a run ends a document of its own listing as vanished at the third delivery, while the source shows others', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('there.csv', 'a')
  expect((await bench.ingest('there.csv')).kind).toBe('finish')
  await listElsewhere(bench, 'gone.csv')
  await lists(bench, 'there.csv', 'gone.csv')
  for (const expected of ['postpone', 'postpone', 'finish']) expect(await deliver(bench, 'gone.csv')).toBe(expected)
  expect((await letterOf(bench, 'gone.csv'))?.failure.code).toBe('vanished')
  expect(bench.halts).toEqual([])
})

test('a run leaves a document that it did not list to the sweep, which has a safety limit', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('there.csv', 'a')
  expect((await bench.ingest('there.csv')).kind).toBe('finish')
  await listElsewhere(bench, 'of-another-run.csv')
  bench.deps.view.role = { kind: 'lists', listed: null }
  for (let delivery = 0; delivery < 4; delivery++) expect(await deliver(bench, 'of-another-run.csv')).toBe('postpone')
  await lists(bench, 'there.csv')
  expect(await deliver(bench, 'of-another-run.csv')).toBe('finish')
  expect(await letterOf(bench, 'of-another-run.csv')).toBeNull()
  expect(await outcomeOf(bench, 'of-another-run.csv')).toBe('pending')
})

test('a run whose source is unmounted stops, and records nothing', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('there.csv', 'a')
  await listElsewhere(bench, 'there.csv')
  await lists(bench, 'there.csv')
  const inbox = fileURLToPath(bench.deps.source.url).replace(/\/$/, '')
  await rename(inbox, `${inbox}-elsewhere`)
  await mkdir(inbox)
  for (let delivery = 0; delivery < 3; delivery++) expect(await deliver(bench, 'there.csv')).toBe('postpone')
  expect(bench.halts).toEqual([['source', expect.stringContaining('there.csv')]])
  expect(await letterOf(bench, 'there.csv')).toBeNull()
})

test('a watch waits while its source is empty, and records a vanished document once others appear', async () => {
  await using bench = await openWorkbench({ redis })
  bench.deps.view.role = { kind: 'follows' }
  await listElsewhere(bench, 'gone.csv')
  for (let delivery = 0; delivery < 5; delivery++) expect(await deliver(bench, 'gone.csv')).toBe('postpone')
  expect(bench.halts).toEqual([])
  await bench.write('there.csv', 'a')
  expect((await bench.ingest('there.csv')).kind).toBe('finish')
  for (let delivery = 0; delivery < 2; delivery++) await deliver(bench, 'gone.csv')
  expect((await letterOf(bench, 'gone.csv'))?.failure.code).toBe('vanished')
})

test('a job that the ledger no longer expects ends without a record', async () => {
  await using bench = await openWorkbench({ redis })
  await listElsewhere(bench, 'gone.csv')
  await bench.deps.ledger.forget([sourceKey('gone.csv')])
  expect(await deliver(bench, 'gone.csv')).toBe('finish')
  expect(await letterOf(bench, 'gone.csv')).toBeNull()
})
