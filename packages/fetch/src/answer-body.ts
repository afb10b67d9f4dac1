import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchRefused } from './fetch-refused.ts'
import type { UrlAnswer } from './request-url.ts'

const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * Streams the body of an answer, decompressed if the server compressed it unasked.
 *
 * @throws {FetchRefused} after `maxBytes` of decompressed data: a few bytes on the wire may expand to gigabytes
 */
export async function* answerBody(answer: UrlAnswer, maxBytes: number): AsyncGenerator<Buffer> {
  const encoding = answer.header('content-encoding')?.trim().toLowerCase() ?? ''
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS]() : null
  const body = decoder === null ? answer.body : (answer.body.compose(decoder) as Readable)
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new FetchRefused('too_large')
    yield chunk
  }
}
