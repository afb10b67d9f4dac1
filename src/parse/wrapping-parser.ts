import { type Extension, formatOf, MAX_FILE_BYTES } from '@sluice/contract'
import type { Verdict } from '#src/document/verdict.ts'
import type { ImageWrapper } from '#src/ports/image-wrapper.ts'
import type { Parser, ParseRequest } from '#src/ports/parser.ts'

/**
 * Decorator for a service that may accept no images: sends an image as it is, and as a PDF after a refusal. It remembers
 * the answer for each format, so that the process meets one refusal for each. The receipt remains that of the image.
 */
export class WrappingParser implements Parser {
  readonly #parser: Parser
  readonly #wrapper: () => Promise<ImageWrapper>
  readonly #accepts = new Map<Extension, boolean>()

  /** `wrapper` opens the wrapper with its first image. */
  constructor(parser: Parser, wrapper: () => Promise<ImageWrapper>) {
    this.#parser = parser
    this.#wrapper = wrapper
  }

  get service(): string {
    return this.#parser.service
  }

  ready(signal: AbortSignal): Promise<string | null> {
    return this.#parser.ready(signal)
  }

  async parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    const { extension, address } = request
    const isImage = formatOf(extension).family === 'image' && address === undefined
    if (!isImage) return this.#parser.parse(request, signal)
    if (this.#accepts.get(extension) !== false) {
      const verdict = await this.#parser.parse(request, signal)
      if (verdict.kind === 'parsed') this.#accepts.set(extension, true)
      if (this.#accepts.get(extension) === true || !refusesType(verdict)) return verdict
      this.#accepts.set(extension, false)
    }
    return this.#parseAsPdf(request, signal)
  }

  async #parseAsPdf(request: ParseRequest, signal: AbortSignal): Promise<Verdict> {
    const wrapper = await this.#wrapper()
    const wrapped = await wrapper.wrap(request.read(signal), MAX_FILE_BYTES, signal)
    if (wrapped.kind === 'failed') {
      const message = `The service accepts no .${request.extension} files, and this one cannot be sent as a PDF. ${wrapped.reason}`
      return {
        kind: 'rejected',
        failure: { code: 'unsupported_type', stage: 'parse', message },
        remedy: { kind: 'none' },
      }
    }
    await using pdf = wrapped
    const { pages, bytes } = pdf
    const read = (cut: AbortSignal): AsyncIterable<Uint8Array> => pdf.read(cut)
    return await this.#parser.parse({ ...request, extension: 'pdf', pages, bytes, read }, signal)
  }
}

/**
 * True if a service does not know the type of the file. A service without images may name the options instead
 * (`parsers`), or nothing.
 */
function refusesType(verdict: Verdict): boolean {
  if (verdict.kind === 'rejected') return verdict.failure.code === 'unsupported_type'
  return verdict.kind === 'refused' && verdict.failure.httpStatus === 400
}
