import { inflateSync } from 'node:zlib'

export interface RgbPicture {
  readonly width: number
  readonly height: number
  readonly at: (x: number, y: number) => readonly [number, number, number]
}

/** An 8-bit RGB PNG whose rows have the filters 0 to 2 (PNG specification, section 9). Throws for any other file. */
export function decodeRgb(png: Buffer): RgbPicture {
  if (png.toString('latin1', 12, 16) !== 'IHDR' || png[24] !== 8 || png[25] !== 2)
    throw new Error('no RGB PNG of 8 bits')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const data = inflateSync(Buffer.concat(parts))
  const stride = width * 3
  const pixels = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)] ?? 9
    if (filter > 2) throw new Error(`filter ${filter}`)
    for (let x = 0; x < stride; x++) {
      const left = x < 3 ? 0 : (pixels[y * stride + x - 3] ?? 0)
      const above = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0)
      pixels[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + ([0, left, above][filter] ?? 0)
    }
  }
  const at: RgbPicture['at'] = (x, y) => {
    const from = y * stride + x * 3
    return [pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0]
  }
  return { width, height, at }
}
