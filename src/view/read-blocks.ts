import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports.ts'

/** A layout block of a page, as `blocks.jsonl` has it. */
export interface Block {
  readonly pageNumber: number
  /** Of its page. */
  readonly width: number | null
  readonly height: number | null
  readonly status: string
  readonly id: string
  readonly type: string
  /** Left, top, right and bottom as shares of the page. */
  readonly bbox: readonly [number, number, number, number] | null
  readonly content: string
  /** In UTF-16 units of the Markdown. */
  readonly markdownSpan: readonly [number, number] | null
  readonly readingOrder: number
  readonly confidence: { readonly layout: number | null; readonly ocr: number | null }
}

/** What the page of a document shows. */
export interface ShownDocument {
  readonly record: DocumentRecord
  readonly blocks: readonly Block[]
}

type Store = Pick<OutputStore, 'readRecord' | 'readOutput'>

/** Null where the store has no record of this key. */
export async function shownDocument(key: SourceKey, store: Store): Promise<ShownDocument | null> {
  const record = await store.readRecord(key)
  if (record === null) return null
  const hasBlocks = record.files.some(({ name }) => name === 'blocks.jsonl')
  const text = hasBlocks ? await store.readOutput(key, 'blocks.jsonl') : null
  return { record, blocks: text === null ? [] : linesOf(text.toString('utf8')) }
}

/** A line that cannot be read is left out: `verify` names the file. */
function linesOf(text: string): Block[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    try {
      return [JSON.parse(line) as Block]
    } catch {
      return []
    }
  })
}
