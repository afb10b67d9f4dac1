import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LimitedChild } from '../children/limited-child.ts'
import { makeWorkFolder } from '../orphaned-folders.ts'
import type { WrapResult, WrapTask } from './wrap-image-child.ts'

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './wrap-image-child.ts' : './wrap-image-child.js',
  import.meta.url,
)

/** Limits of one image, in milliseconds and bytes. */
const TIMEOUT_MS = 120_000
const MEMORY_BYTES = 600 * 1024 ** 2

/** An image as a PDF, readable until disposal. */
export interface ImageAsPdf extends AsyncDisposable {
  readonly kind: 'pdf'
  readonly pages: number
  readonly bytes: number
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Sentence about an image that cannot become a PDF. */
export interface NotWrapped {
  readonly kind: 'failed'
  readonly reason: string
}

const ENDED = {
  time: 'The image takes too long to convert.',
  memory: 'The image needs too much memory.',
  crash: 'The image crashes its decoder.',
} as const

/** Writes images as PDFs in a child process, because a hostile image can exhaust a decoder. */
export class ImageWrapper implements AsyncDisposable {
  readonly #child: LimitedChild<WrapTask, WrapResult>

  /** `env`: environment of the child. It reads untrusted files, and needs no secret. */
  constructor({ env }: { readonly env: Readonly<Record<string, string>> }) {
    this.#child = new LimitedChild({ entry: CHILD_ENTRY, timeoutMs: TIMEOUT_MS, memoryBytes: MEMORY_BYTES, env })
  }

  /** `maxBytes`: limit of the PDF. */
  async wrap(
    image: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ImageAsPdf | NotWrapped> {
    const folder = await makeWorkFolder()
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
    try {
      const [path, pdfPath] = [join(folder, 'image'), join(folder, 'image.pdf')]
      await pipeline(copies(image), createWriteStream(path), { signal })
      const result = await this.#child.run({ path, pdfPath, maxBytes })
      signal.throwIfAborted()
      if (result.kind === 'done' && result.output.kind === 'wrapped') {
        const { size } = await stat(pdfPath)
        const read = (cut: AbortSignal): AsyncIterable<Uint8Array> => createReadStream(pdfPath, { signal: cut })
        return { kind: 'pdf', pages: result.output.pages, bytes: size, read, [Symbol.asyncDispose]: remove }
      }
      await remove()
      const reason =
        result.kind === 'ended' ? ENDED[result.reason] : result.output.kind === 'failed' ? result.output.reason : ''
      return { kind: 'failed', reason }
    } catch (error) {
      await remove()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}

/** A chunk of a source is valid only until the next one. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
