import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { z } from 'zod'
import { block } from './api-schemas.ts'

/** A layout block of a page in `blocks.jsonl`. */
export type Block = z.infer<typeof block>

/** Content of a document's page. */
export interface ShownDocument {
  readonly record: DocumentRecord
  readonly blocks: readonly Block[]
}

type Store = Pick<OutputStore, 'documents'>

/** Null if the store has no record of this key. */
export async function shownDocument(key: SourceKey, store: Store): Promise<ShownDocument | null> {
  const record = await store.documents.read(key)
  if (record === null) return null
  const hasBlocks = record.files.some(({ name }) => name === 'blocks.jsonl')
  const text = hasBlocks ? await store.documents.readOutput(key, 'blocks.jsonl') : null
  return { record, blocks: text === null ? [] : linesOf(text.toString('utf8')) }
}

/** Parses lines and skips unreadable ones: `verify` names their file. */
function linesOf(text: string): Block[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    try {
      const parsed = block.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    } catch {
      return []
    }
  })
}
