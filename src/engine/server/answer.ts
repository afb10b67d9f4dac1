import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ParsedMetadata } from '#src/contract/response.ts'

export interface AnswerParts {
  /** Holds JSON members, each with its comma: what a child wrote. */
  readonly fieldsPath: string
  readonly warnings: readonly string[]
  readonly metadata: ParsedMetadata
}

export interface AnswerBody {
  readonly bytes: number
  readonly stream: Readable
}

/**
 * The body of a 200, streamed from the file that the child wrote: the server never holds the text of a document,
 * however long that is. `metadata` comes last and closes it. The file is open when this returns, so that it may be
 * removed before the first byte is sent.
 */
export async function answerBody({ fieldsPath, warnings, metadata }: AnswerParts): Promise<AnswerBody> {
  const head = Buffer.from('{"success":true,"data":{')
  const warning = warnings.length === 0 ? null : warnings.join(' ')
  const tail = Buffer.from(`"warning":${JSON.stringify(warning)},"metadata":${JSON.stringify(metadata)}}}`)
  const file = await open(fieldsPath)
  const { size } = await file.stat()

  async function* pieces(): AsyncGenerator<Buffer> {
    yield head
    yield* file.createReadStream() as AsyncIterable<Buffer>
    yield tail
  }
  return { bytes: head.length + size + tail.length, stream: Readable.from(pieces()) }
}
