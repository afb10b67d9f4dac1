import { DocumentChanged, type ParseRequest } from '#src/ports.ts'

/**
 * Reads a request's document and remembers what failed on its side: undici reports a document that cannot be read and a
 * line that broke alike, as a failed request.
 */
export class WatchedRead {
  /** What `read` threw, or that it gave another length than it promised; null as long as it did well. */
  failure: { readonly error: unknown } | null = null
  readonly request: ParseRequest

  constructor(request: ParseRequest) {
    this.request = { ...request, read: (signal) => this.#read(request, signal) }
  }

  async *#read(request: ParseRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let bytes = 0
    try {
      for await (const chunk of request.read(signal)) {
        bytes += chunk.length
        if (bytes > request.bytes) break
        yield chunk
      }
      if (bytes !== request.bytes) throw new DocumentChanged(`promised ${request.bytes} bytes, gave ${bytes}`)
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}
