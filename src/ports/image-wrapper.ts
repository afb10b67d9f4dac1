/** An image as a PDF with one page for each of its pages, readable until disposal. */
export interface ImageAsPdf extends AsyncDisposable {
  readonly kind: 'pdf'
  readonly pages: number
  readonly bytes: number
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Writes images as PDFs, for services that accept no images. */
export interface ImageWrapper {
  /**
   * Writes one image as a PDF of up to `maxBytes`. Resolves with the reason, a sentence, for an image that cannot become
   * one. Throws only errors of `signal` or of reading `image`.
   */
  wrap(
    image: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ImageAsPdf | { readonly kind: 'failed'; readonly reason: string }>
}
