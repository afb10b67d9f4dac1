/** Part of a page that is one image of the PDF. */
export interface ImagePart {
  /** Position of the upper left corner on the page, and size, in pixels. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Entries of the image's dictionary, without size and length. */
  readonly entries: string
  /** True if `data` is raw, and the writer compresses it. */
  readonly isRaw: boolean
  data(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** Page of an image file, as it is stored. */
export interface ImagePage {
  readonly width: number
  readonly height: number
  /** Pixels per inch. Null if the file has no usable value. */
  readonly dpi: readonly [x: number, y: number] | null
  /** Orientation of EXIF and TIFF: 1 to 8. */
  readonly orientation: number
  readonly parts: readonly ImagePart[]
}

export interface ImageDocument {
  readonly pages: Iterable<ImagePage>
  /** Sentence about content that no page holds, or null. */
  readonly warning: string | null
}

/** Returns a document of one page that one image fills. */
export function onePage(
  size: Pick<ImagePage, 'width' | 'height'>,
  { dpi = null, orientation = 1 }: Partial<Pick<ImagePage, 'dpi' | 'orientation'>>,
  part: Pick<ImagePart, 'entries' | 'isRaw' | 'data'>,
  warning: string | null = null,
): ImageDocument {
  return { pages: [{ ...size, dpi, orientation, parts: [{ x: 0, y: 0, ...size, ...part }] }], warning }
}

/** Raw pixels with three bytes each. */
export const RGB = '/ColorSpace /DeviceRGB /BitsPerComponent 8'

const CHANNELS = ['', '/DeviceGray', '', '/DeviceRGB', '/DeviceCMYK']

export const colorSpaceOf = (components: number): string => CHANNELS[components] ?? ''

/** Returns `dpi` if both values are plausible. */
export function usableDpi(x: number, y: number): readonly [number, number] | null {
  const isUsable = (value: number): boolean => value >= 30 && value <= 4800
  return isUsable(x) && isUsable(y) ? [x, y] : null
}

/** Draws pixels with alpha on white. */
export function* onWhite(rgba: Uint8Array, width: number, height: number): Generator<Buffer> {
  for (let y = 0; y < height; y++) {
    const row = Buffer.allocUnsafe(width * 3)
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4
      const alpha = (rgba[from + 3] ?? 255) / 255
      for (let channel = 0; channel < 3; channel++) {
        row[x * 3 + channel] = Math.round((rgba[from + channel] ?? 0) * alpha + 255 * (1 - alpha))
      }
    }
    yield row
  }
}
