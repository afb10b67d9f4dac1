import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { Dicer } from '@fastify/busboy'

/** One part of a multipart body as it came over the wire. */
export interface ReceivedPart {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly name: string | null
  /** Null when the part has no `filename`, which is what distinguishes a field from a file. */
  readonly filename: string | null
  readonly bytes: number
  readonly sha256: string
  /** The part's content; null when it is larger than `KEPT_BYTES`. */
  readonly content: Buffer | null
}

/** Larger parts are counted and hashed only, so that tests of big uploads measure the client's memory alone. */
const KEPT_BYTES = 1024 * 1024

/** Reads a request's body to its end. A body that is no multipart is drained, and has no parts. */
export async function receiveParts(request: IncomingMessage, readDelayMs: number): Promise<ReceivedPart[]> {
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) {
    await finished(request.resume())
    return []
  }
  const parts: Promise<ReceivedPart>[] = []
  const reader = new Dicer({ boundary })
  reader.on('part', (part: Dicer.PartStream) => parts.push(receivePart(part)))
  await new Promise<void>((resolve, reject) => {
    // Not `finished(reader)`: Dicer says `finish` itself, when the last part is read, and never `close`.
    reader.once('finish', resolve).once('error', reject)
    request.once('error', reject).pipe(reader)
    if (readDelayMs > 0) request.on('data', () => holdBack(request, readDelayMs))
  })
  return Promise.all(parts)
}

async function receivePart(part: Dicer.PartStream): Promise<ReceivedPart> {
  const headers: Record<string, string> = {}
  part.on('header', (fields: Record<string, string[]>) => {
    for (const [name, values] of Object.entries(fields)) headers[name.toLowerCase()] = values.join(', ')
  })
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of part as AsyncIterable<Buffer>) {
    bytes += chunk.length
    hash.update(chunk)
    if (bytes <= KEPT_BYTES) chunks.push(chunk)
  }
  const disposition = headers['content-disposition'] ?? ''
  return {
    headers,
    name: /[; ]name="([^"]*)"/.exec(disposition)?.[1] ?? null,
    filename: /filename="([^"]*)"/.exec(disposition)?.[1] ?? null,
    bytes,
    sha256: hash.digest('hex'),
    content: bytes <= KEPT_BYTES ? Buffer.concat(chunks) : null,
  }
}

function holdBack(request: IncomingMessage, delayMs: number): void {
  request.pause()
  setTimeout(() => request.resume(), delayMs)
}
