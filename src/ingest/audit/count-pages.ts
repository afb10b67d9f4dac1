import { extensionOf } from '#src/document/formats.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { mapInOrder } from '#src/document/map-in-order.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { CountedDocument } from '#src/route/audit/sample-pages.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source } from '#src/ports/source.ts'
import type { Tier, Tiers } from '../process/deps.ts'
import { readOnce } from '../process/read-once.ts'

/** The PDFs of a source with their pages, and what else it holds. */
export interface CountedSource {
  readonly documents: readonly CountedDocument[]
  /** Pages of all of them. */
  readonly pages: number
  /** Documents of other formats. */
  readonly others: number
  /** Documents that must not leave this machine. */
  readonly staying: number
  /** PDFs whose pages cannot be counted: encrypted, damaged, gone. */
  readonly uncounted: number
}

interface CountDeps {
  readonly source: Source
  readonly store: OutputStore
  readonly countPages: Tier['countPages']
  readonly tiers?: Tiers | undefined
}

const AT_ONCE = 4

/**
 * Counts the pages of every PDF of a source: from its record where it has one for this version, else from its bytes.
 * Calls `onCounted` with the number of documents read so far.
 */
export async function countSource(
  deps: CountDeps,
  onCounted: (documents: number) => void,
  signal: AbortSignal,
): Promise<CountedSource> {
  const documents: CountedDocument[] = []
  let [others, staying, uncounted, inspected] = [0, 0, 0, 0]
  for await (const { key, pages } of mapInOrder(deps.source.list(signal), AT_ONCE, (item) =>
    counted(item, deps, signal),
  )) {
    if (pages === 'other') others += 1
    else if (pages === 'stays') staying += 1
    else if (pages === 'unknown') uncounted += 1
    else if (pages !== 'none') documents.push({ key, pages })
    inspected += 1
    onCounted(inspected)
  }
  return { documents, others, staying, uncounted, pages: documents.reduce((sum, { pages }) => sum + pages, 0) }
}

interface Counted {
  readonly key: SourceKey
  /** `none`: no document. */
  readonly pages: number | 'other' | 'stays' | 'unknown' | 'none'
}

async function counted(
  item: SourceItem,
  { source, store, countPages, tiers }: CountDeps,
  signal: AbortSignal,
): Promise<Counted> {
  const { key } = item
  const extension = extensionOf(key)
  if (item.kind !== 'document' || extension === null) return { key, pages: 'none' }
  if (tiers?.mustStay(key) === true) return { key, pages: 'stays' }
  if (extension !== 'pdf' || source.addressOf?.(key) !== undefined) return { key, pages: 'other' }
  const record = await store.readRecord(key)
  const known = record?.version === item.version ? (record.pages.total ?? record.pages.parsed) : null
  if (known !== null && known > 0) return { key, pages: known }
  const opened = await source.open(key, signal)
  if ('message' in opened) return { key, pages: 'unknown' }
  await using document = opened
  const pages = await countPages(await readOnce(document, signal), extension, signal)
  return { key, pages: pages === null || pages === 0 ? 'unknown' : pages }
}
