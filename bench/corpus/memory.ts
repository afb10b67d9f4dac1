import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { exportChunks } from '#src/corpus/export/export-chunks.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { Documents, OutputStore } from '#src/ports/output-store.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { Random } from '../../test/support/random.ts'
import { generatedReport } from './generated-report.ts'

const words: TokenCounter = { name: 'characters', overhead: 0, count: (text) => text.length }

/** Different documents; more would measure their generator. */
const DIFFERENT = 200

/** The export of a store that makes its documents as they are asked for: peak memory over the number of chunks. */
export async function measureMemory(seed: number, wanted: number, formats: readonly ('jsonl' | 'parquet')[]) {
  const peaks: Record<string, number> = {}
  const random = new Random(seed)
  const texts = Array.from({ length: DIFFERENT }, (_, index) => Buffer.from(generatedReport(random, index).markdown))
  for (const format of formats) {
    await using folder = await tempFolder()
    let peak = 0
    let made = 0
    const store = storeOf(texts, () => made < wanted)
    const options = {
      counter: words,
      limit: 1024,
      overlap: 0,
      format,
      to: join(folder.path, 'export'),
      since: null,
      hygiene: false,
      where: null,
      context: null,
      figures: null,
    }
    const filter = { key: () => true, outcome: null, gone: false }
    const before = performance.now()
    const check = ({ chunks }: { readonly chunks: number }): void => {
      if (Math.floor(chunks / (wanted / 4)) > Math.floor(made / (wanted / 4))) {
        console.log(`  ${chunks.toLocaleString('en')} chunks: peak ${Math.round(peak / 1e6)} MB`)
      }
      made = chunks
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    console.log(`${format}, resident before: ${Math.round(process.memoryUsage.rss() / 1e6)} MB`)
    const { chunks } = await exportChunks(
      store,
      { ...options, filter, filterText: {} },
      check,
      new AbortController().signal,
    )
    const seconds = (performance.now() - before) / 1000
    console.log(`  ${chunks.toLocaleString('en')} chunks in ${seconds.toFixed(0)} s: peak ${Math.round(peak / 1e6)} MB`)
    peaks[`${format}, peak MB`] = Math.round(peak / 1e6)
  }
  return peaks
}

/** The feed is no part of what is measured. */
const NO_CHANGES: OutputStore['feed'] = {
  create: async () => true,
  remove: async () => undefined,
  read: async () => Buffer.from('{"format":1,"id":"bench"}'),
  list: async () => [],
  async *stamps() {},
  recordAt: async () => null,
}

/** What an export asks of a store. */
function storeOf(texts: readonly Buffer[], goesOn: () => boolean): OutputStore {
  const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'))
  async function* list(): AsyncGenerator<DocumentRecord> {
    for (let number = 0; goesOn(); number++) yield recordOf(number, digests)
  }
  const readOutput = async (key: string): Promise<Buffer | null> =>
    texts[Number(key.split('.')[0]) % texts.length] ?? null
  const store: Partial<OutputStore> = {
    url: 'memory:',
    feed: NO_CHANGES,
    documents: { list, readOutput } as Partial<Documents> as Documents,
    manifest: { read: async () => null, write: async () => false },
  }
  return store as OutputStore
}

function recordOf(number: number, digests: readonly string[]): DocumentRecord {
  const record = {
    schema: 2,
    source: 'file:///bench/',
    key: `${number}.md`,
    contentHash: digests[number % digests.length],
    receipt: null,
    outcome: 'done',
    problems: [],
    pages: { parsed: null, total: null, truncated: false },
    files: [{ name: 'document.md', bytes: 0, sha256: digests[number % digests.length] }],
  }
  return record as unknown as DocumentRecord
}
