// usage: npm run bench:view [-- DOCUMENTS]   The index of `sluice view` over a store of a million made-up records (default): what
// building it, comparing it again and asking it take, the memory of the process, and the first paint of the pages in Chromium where
// there is one. Records are made as they are asked for.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { DocumentIndex } from '#src/view/document-index.ts'
import { readQuery } from '#src/view/read-query.ts'
import { updateIndex } from '#src/view/update-index.ts'
import { measureInChromium } from './in-chromium.ts'

const DOCUMENTS = Number(process.argv[2] ?? 1_000_000)
const BATCH = 512

const keyOf = (at: number): string =>
  `department-${at % 997}/year-${2000 + (at % 26)}/report-${at}.${at % 5 === 0 ? 'docx' : 'pdf'}`

const recordOf = (at: number): DocumentRecord =>
  ({
    key: keyOf(at),
    outcome: at % 50 === 0 ? 'partial' : 'done',
    problems: at % 50 === 0 ? ['2 pages of 9 were not parsed'] : [],
    parser: { class: 'service' },
    cost: { credits: 1 + (at % 30), basis: 'reported' },
    pages: { parsed: 1 + (at % 30), total: 1 + (at % 30), truncated: false },
    bytes: 1000 + at,
    finishedAt: new Date(1_700_000_000_000 + at * 1000).toISOString(),
  }) as unknown as DocumentRecord

async function* stamps(): AsyncGenerator<readonly RecordStamp[]> {
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    yield Array.from({ length: Math.min(BATCH, DOCUMENTS - from) }, (_, at) => ({
      place: `documents/${keyOf(from + at)}`,
      stamp: String(from + at),
    }))
  }
}

const atOf = (place: string): number => Number(/report-(\d+)\./.exec(place)?.[1])

const store = {
  feed: {
    stamps,
    recordAt: async (place: string): Promise<PlacedRecord> => ({ record: recordOf(atOf(place)), folder: place }),
  },
  async *listDeadLetters() {},
} as unknown as Parameters<typeof updateIndex>[1]

async function timed(what: string, work: () => unknown): Promise<void> {
  const [cpu, at] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const rss = Math.round(process.memoryUsage.rss() / 1e6)
  const [ms, cpuMs] = [performance.now() - at, (user + system) / 1000].map((value) => value.toFixed(ms1(value)))
  console.log(`${what.padEnd(44)} ${String(ms).padStart(9)} ms  ${String(cpuMs).padStart(9)} ms CPU  ${rss} MB`)
}

const ms1 = (value: number): number => (value < 100 ? 1 : 0)

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-view-'))
try {
  const file = join(folder, 'index.sqlite')
  using index = new DocumentIndex(file)
  const { signal } = new AbortController()
  await timed(`index of ${DOCUMENTS} documents, new`, () => updateIndex(index, store, signal))
  await timed('compared again, nothing changed', () => updateIndex(index, store, signal))
  const ask = (search: string): unknown => index.find(readQuery(new URLSearchParams(search)))
  await timed('first page of the list', () => ask(''))
  await timed('page 5,000 of the list', () => ask('page=5000'))
  await timed('search for a name', () => ask('q=report-77777'))
  await timed('filter by outcome', () => ask('outcome=partial'))
  await timed('sorted by date', () => ask('sort=at&order=desc'))
  await timed('sorted by credits', () => ask('sort=credits&order=desc'))
  await timed('counts by format', () => index.facet('format'))
  await timed('totals', () => index.totals())
  await timed('at rest for 10 s', () => sleep(10_000))
  await measureInChromium(index)
  console.log(`file: ${Math.round((await stat(file)).size / 1e6)} MB`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
