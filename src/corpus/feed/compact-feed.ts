import type { FeedStorage } from '#src/ports/feed-storage.ts'
import type { ChangeLog } from './change-log.ts'
import type { FeedEntry } from './change.ts'
import { netChanges } from './net-changes.ts'
import { baseName, basePartName, packEntries, readNames, segmentName, SEGMENT_ENTRIES } from './segment-file.ts'

export interface CompactionPolicy {
  /** Minimum number of segments for a base, if they hold twice as many entries as the store has documents. */
  readonly leastSegments: number
  /** Maximum number of segments without a base: a reader opens each of them. */
  readonly mostSegments: number
}

export const COMPACTION: CompactionPolicy = { leastSegments: 16, mostSegments: 256 }

/** `entries`: of the segments after the base. `documents`: in the store. */
export function isDue(
  { head, base }: Pick<ChangeLog, 'head' | 'base'>,
  { leastSegments, mostSegments }: CompactionPolicy,
  counts: { readonly entries: () => number; readonly documents: () => number },
): boolean {
  const segments = head - (base?.segments ?? 0)
  if (segments >= mostSegments) return true
  return segments >= leastSegments && counts.entries() >= 2 * counts.documents()
}

/**
 * Writes the state at the head as a base, and removes the segments and bases that only readers before the last base
 * could need. After a crash, the next compaction removes parts without their `base-….json`. Idempotent and safe for
 * concurrent processes: each writes the same parts for a position.
 */
export async function compactFeed(storage: FeedStorage, log: ChangeLog): Promise<void> {
  const { head, base } = log
  let [parts, documents] = [0, 0]
  let entries: FeedEntry[] = []
  const write = async (): Promise<void> => {
    parts += 1
    documents += entries.length
    await storage.create(basePartName(head, parts), await packEntries(entries))
    entries = []
  }
  for await (const entry of netChanges(log, 0, head)) {
    if (entries.push(entry) === SEGMENT_ENTRIES) await write()
  }
  if (entries.length > 0) await write()
  await storage.create(baseName(head), Buffer.from(`${JSON.stringify({ segments: head, parts, documents })}\n`))
  await removeBefore(storage, base?.segments ?? 0, head)
  await log.relist()
}

/** `former`: the base before the one created at `made`. */
async function removeBefore(storage: FeedStorage, former: number, made: number): Promise<void> {
  const { segments, bases, parts } = readNames(await storage.list(''))
  const isOld = (base: number): boolean => base < former
  // Removes the commit marker of a base first.
  for (const number of bases.filter(isOld)) await storage.remove(baseName(number))
  for (const { segments: of, name } of parts) {
    const isAbandoned = of < made && !bases.includes(of)
    if (isOld(of) || isAbandoned) await storage.remove(name)
  }
  for (const number of segments) if (number <= former) await storage.remove(segmentName(number))
}
