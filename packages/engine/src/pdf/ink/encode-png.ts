import { crc32, deflateSync } from 'node:zlib'
import type { GreyPicture } from './grey-picture.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Encodes an 8-bit grey PNG with light compression. The next process step reads it once. */
export function encodePng({ width, height, grey }: GreyPicture): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) rows.set(grey.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return assembled({ width, height, colourType: 0 }, deflateSync(rows, { level: 1 }))
}

const BYTES_PER_PIXEL = 3

/**
 * Encodes an 8-bit RGB PNG for storage. Each row holds differences from the previous pixel (filter 1), with strong
 * compression.
 */
export function encodeColourPng(width: number, height: number, rgb: Uint8Array): Buffer {
  const stride = width * BYTES_PER_PIXEL
  const rows = Buffer.alloc((stride + 1) * height)
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [y * stride, y * (stride + 1)]
    rows[to] = 1
    for (let x = 0; x < stride; x += 1) {
      const before = x < BYTES_PER_PIXEL ? 0 : (rgb[from + x - BYTES_PER_PIXEL] ?? 0)
      rows[to + 1 + x] = (rgb[from + x] ?? 0) - before
    }
  }
  return assembled({ width, height, colourType: 2 }, deflateSync(rows, { level: 6 }))
}

interface Header {
  readonly width: number
  readonly height: number
  /** 0 is grey, 2 is RGB. */
  readonly colourType: 0 | 2
}

function assembled({ width, height, colourType }: Header, data: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = colourType
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(data.length + 12)
  out.writeUInt32BE(data.length, 0)
  out.write(type, 4, 'latin1')
  out.set(data, 8)
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length)
  return out
}
