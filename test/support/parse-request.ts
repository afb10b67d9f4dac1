import { createHash } from 'node:crypto'
import { type ParseOptionsInput, parseOptionsSchema, type Extension } from '@sluice/contract'
import { contentHash } from '#src/document/ids.ts'
import type { ParseRequest } from '#src/ports/parser.ts'

/** A request for these bytes, as `ingest` would make it. */
export function parseRequest(
  content: string | Buffer,
  options: ParseOptionsInput = {},
  extension: Extension = 'pdf',
): ParseRequest {
  const bytes = Buffer.from(content)
  return {
    contentHash: contentHash(createHash('sha256').update(bytes).digest('hex')),
    extension,
    bytes: bytes.length,
    async *read() {
      yield bytes
    },
    options: parseOptionsSchema.parse(options),
  }
}
