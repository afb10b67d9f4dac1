import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'

/** The facts of a chunk without its texts, as metadata of other programs' documents. */
export function chunkMetadata(chunk: ChunkLine): Record<string, unknown> {
  const { id: _id, text: _text, body: _body, table: _table, ...facts } = chunk
  return facts
}
