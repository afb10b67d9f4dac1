import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { LimitedChild } from '../children/limited-child.ts'
import { SpooledFile } from '../children/spooled-file.ts'
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
    await using resources = new AsyncDisposableStack()
    const file = resources.use(await SpooledFile.write(image, 'image', signal))
    const pdfPath = file.beside('image.pdf')
    const result = await this.#child.run({ path: file.path, pdfPath, maxBytes })
    signal.throwIfAborted()
    if (result.kind === 'ended') return { kind: 'failed', reason: ENDED[result.reason] }
    if (result.output.kind === 'failed') return result.output
    const { size } = await stat(pdfPath)
    const read = (cut: AbortSignal): AsyncIterable<Uint8Array> => createReadStream(pdfPath, { signal: cut })
    const owned = resources.move()
    return {
      kind: 'pdf',
      pages: result.output.pages,
      bytes: size,
      read,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}
