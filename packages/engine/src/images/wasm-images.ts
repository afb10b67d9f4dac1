import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { exifOrientation } from './exif-orientation.ts'
import { corrupt, type ImageFile, limitPixels, unsupported } from './image-file.ts'
import { type ImageDocument, onePage, onWhite, RGB } from './image-page.ts'

interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray
  readonly width: number
  readonly height: number
}

interface Decoder {
  readonly init: (overrides: { readonly wasmBinary: Uint8Array }) => Promise<unknown>
  readonly default: (bytes: ArrayBuffer) => Promise<unknown>
}

const DECODERS = {
  webp: { load: () => import('@jsquash/webp/decode.js'), wasm: '@jsquash/webp/codec/dec/webp_dec.wasm' },
  avif: { load: () => import('@jsquash/avif/decode.js'), wasm: '@jsquash/avif/codec/dec/avif_dec.wasm' },
} as const

const loaded = new Map<keyof typeof DECODERS, Promise<Decoder>>()

function decoderOf(format: keyof typeof DECODERS): Promise<Decoder> {
  const open = async (): Promise<Decoder> => {
    const { load, wasm } = DECODERS[format]
    const decoder = (await load()) as unknown as Decoder
    // Without the binary, the decoder would fetch it by URL.
    await decoder.init({ wasmBinary: readFileSync(createRequire(import.meta.url).resolve(wasm)) })
    return decoder
  }
  const known = loaded.get(format) ?? open()
  loaded.set(format, known)
  return known
}

/** Memory of the decoders: their own pixels, and the copy that leaves them. */
const DECODER_BYTES = 5

async function decoded(file: ImageFile, format: keyof typeof DECODERS, orientation: number): Promise<ImageDocument> {
  const bytes = new Uint8Array(file.read(0, file.bytes))
  const decoder = await decoderOf(format)
  const pixels = (await decoder.default(bytes.buffer).catch(() => null)) as Pixels | null
  if (pixels === null) {
    // A decoder that a hostile image has ended answers no further one.
    loaded.delete(format)
    throw corrupt('its pixels are broken')
  }
  const { width, height, data } = pixels
  limitPixels(width, height, DECODER_BYTES)
  const rgba = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const rows = (): Iterable<Uint8Array> => onWhite(rgba, width, height)
  return onePage({ width, height }, { orientation }, { entries: RGB, isRaw: true, data: rows })
}

const ANIMATED = 0x02

export async function readWebp(file: ImageFile): Promise<ImageDocument> {
  let orientation = 1
  for (let at = 12; at + 8 <= file.bytes;) {
    const head = file.read(at, 8)
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    const body = (count: number): Buffer => file.read(at + 8, count)
    if (type === 'VP8X') {
      const extended = body(10)
      if (((extended[0] ?? 0) & ANIMATED) !== 0) throw unsupported('it is an animated WebP')
      limitPixels(extended.readUIntLE(4, 3) + 1, extended.readUIntLE(7, 3) + 1, DECODER_BYTES)
    } else if (type === 'VP8 ') {
      const frame = body(10)
      limitPixels(frame.readUInt16LE(6) & 0x3fff, frame.readUInt16LE(8) & 0x3fff, DECODER_BYTES)
    } else if (type === 'VP8L') {
      const size = body(5).readUInt32LE(1)
      limitPixels((size & 0x3fff) + 1, ((size >>> 14) & 0x3fff) + 1, DECODER_BYTES)
    } else if (type === 'EXIF') {
      const exif = body(length)
      orientation = exifOrientation(exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif)
    }
    at += 8 + length + (length % 2)
  }
  return decoded(file, 'webp', orientation)
}

/** Bytes at the start of an AVIF that hold its properties. */
const PROPERTIES_BYTES = 256 * 1024

export async function readAvif(file: ImageFile): Promise<ImageDocument> {
  const start = file.read(0, Math.min(file.bytes, PROPERTIES_BYTES))
  let largest: readonly [width: number, height: number] = [0, 0]
  for (let at = start.indexOf('ispe'); at >= 0 && at + 16 <= start.length; at = start.indexOf('ispe', at + 4)) {
    const [width, height] = [start.readUInt32BE(at + 8), start.readUInt32BE(at + 12)]
    if (width * height > largest[0] * largest[1]) largest = [width, height]
  }
  limitPixels(...largest, DECODER_BYTES)
  return decoded(file, 'avif', 1)
}
