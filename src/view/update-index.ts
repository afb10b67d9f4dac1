import type { RecordStamp } from '#src/ports/feed-storage.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { type DocumentIndex, rowOfLetter, rowOfRecord } from './document-index.ts'

/** Number of concurrent reads of records. */
const READS = 32

/** Number of rows per transaction. */
const BATCH = 2_000

type Store = Pick<OutputStore, 'feed' | 'documents' | 'deadLetters'>

/**
 * Updates the index from the store with a single listing of stamps: reads only records with another stamp. Reads all
 * dead letters, before the records, because they are few.
 */
export async function updateIndex(index: DocumentIndex, store: Store, signal: AbortSignal): Promise<void> {
  index.beginPass()
  let letters: Parameters<typeof rowOfLetter>[0][] = []
  const write = (): void => {
    index.batch(() =>
      letters.forEach((letter) => index.putFailure(`failure:${letter.key}`, letter.lastAt, rowOfLetter(letter))),
    )
    letters = []
  }
  for await (const letter of store.deadLetters.list(signal)) {
    letters.push(letter)
    if (letters.length >= BATCH) write()
  }
  write()
  let unknown: RecordStamp[] = []
  const read = async (): Promise<void> => {
    await readRecords(unknown, index, store)
    unknown = []
  }
  for await (const stamps of store.feed.stamps(signal)) {
    index.batch(() => {
      for (const one of stamps) if (!index.markSeen(one.place, one.stamp)) unknown.push(one)
    })
    if (unknown.length >= BATCH) await read()
  }
  await read()
  index.endPass()
}

async function readRecords(stamps: readonly RecordStamp[], index: DocumentIndex, { feed }: Store): Promise<void> {
  const rows: Parameters<DocumentIndex['put']>[] = []
  for (let at = 0; at < stamps.length; at += READS) {
    const some = stamps.slice(at, at + READS)
    const read = await Promise.all(some.map(({ place }) => feed.recordAt(place)))
    for (const [number, { place, stamp }] of some.entries()) {
      const record = read[number]?.record
      if (record !== undefined) rows.push([place, stamp, rowOfRecord(record)])
    }
  }
  index.batch(() => rows.forEach((row) => index.putRecord(...row)))
}
