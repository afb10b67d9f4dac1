import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ParsedMetadata } from '@sluice/contract'

export interface AnswerParts {
  /** JSON members, each with its comma, directly from a child or in a file. */
  readonly fields: Buffer | { readonly path: string }
  readonly warnings: readonly string[]
  readonly metadata: ParsedMetadata
}

export interface AnswerBody {
  readonly bytes: number
  readonly content: Readable | Buffer
}

/**
 * Returns the body of a 200. Streams a long one from the child's file, so that the server never holds the text of a
 * long document. `metadata` is last and closes the body. The file is already open on return, so the caller may remove
 * it before the first byte is sent.
 */
export async function answerBody({ fields, warnings, metadata }: AnswerParts): Promise<AnswerBody> {
  const head = Buffer.from('{"success":true,"data":{')
  const warning = warnings.length === 0 ? null : warnings.join(' ')
  const tail = Buffer.from(`"warning":${JSON.stringify(warning)},"metadata":${JSON.stringify(metadata)}}}`)
  if (Buffer.isBuffer(fields)) {
    const content = Buffer.concat([head, fields, tail])
    return { bytes: content.length, content }
  }
  const file = await open(fields.path)
  const { size } = await file.stat()

  async function* pieces(): AsyncGenerator<Buffer> {
    yield head
    yield* file.createReadStream() as AsyncIterable<Buffer>
    yield tail
  }
  return { bytes: head.length + size + tail.length, content: Readable.from(pieces()) }
}
