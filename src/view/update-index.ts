import type { OutputStore } from '#src/ports.ts'
import { type DocumentIndex, rowOfLetter, rowOfRecord } from './document-index.ts'

/** Records that are read side by side. */
const READS = 32

/** Dead letters that are written in one transaction. */
const BATCH = 500

type Store = Pick<OutputStore, 'feed' | 'listDeadLetters'>

/**
 * Compares the index with the store: one listing of stamps, and only records whose stamp is another one are read. Dead
 * letters are all read: there are few.
 */
export async function updateIndex(index: DocumentIndex, store: Store, signal: AbortSignal): Promise<void> {
  index.beginPass()
  for await (const stamps of store.feed.stamps(signal)) {
    const unknown: (typeof stamps)[number][] = []
    index.batch(() => {
      for (const one of stamps) if (!index.stillThere(one.place, one.stamp)) unknown.push(one)
    })
    for (let at = 0; at < unknown.length; at += READS) {
      const some = unknown.slice(at, at + READS)
      const placed = await Promise.all(some.map(({ place }) => store.feed.recordAt(place)))
      index.batch(() => {
        for (const [number, { place, stamp }] of some.entries()) {
          const record = placed[number]?.record
          if (record !== undefined) index.put(place, stamp, rowOfRecord(record))
        }
      })
    }
  }
  let letters: Parameters<typeof rowOfLetter>[0][] = []
  const write = (): void => {
    index.batch(() =>
      letters.forEach((letter) => index.put(`failure:${letter.key}`, letter.lastAt, rowOfLetter(letter))),
    )
    letters = []
  }
  for await (const letter of store.listDeadLetters(signal)) {
    letters.push(letter)
    if (letters.length >= BATCH) write()
  }
  write()
  index.endPass()
}
