import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Charset of a page, and the part of the answer that states it. */
export const ENCODINGS = [
  ['utf-8', 'header'],
  ['utf-8', 'nothing'],
  ['utf-8', 'bom'],
  ['utf-16le', 'header'],
  ['utf-16le', 'bom'],
  ['windows-1251', 'header'],
  ['windows-1251', 'meta'],
  ['shift_jis', 'header'],
  ['shift_jis', 'meta'],
] as const

export type Encoding = (typeof ENCODINGS)[number]

/** A word that only a reader of the charset reads. */
export const WORDS: Readonly<Record<Encoding[0], string>> = {
  'utf-8': 'Grüße',
  'utf-16le': 'Ελλάδα',
  'windows-1251': 'Привет',
  shift_jis: 'にほん',
}

/** Encodes a page in ASCII and the word of its charset. */
export function encodePage(html: string, [charset, statedBy]: Encoding) {
  const type = `text/html${statedBy === 'header' ? `; charset=${charset}` : ''}`
  const stated = statedBy === 'meta' ? html.replace('<head>', `<head><meta charset="${charset}">`) : html
  const text = `${statedBy === 'bom' ? '\ufeff' : ''}${stated}`
  if (charset === 'utf-8') return { type, body: Buffer.from(text) }
  if (charset === 'utf-16le') return { type, body: Buffer.from(text, 'utf16le') }
  const bytes = Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) return [code]
    return charset === 'windows-1251' ? [code - 0x0410 + 0xc0] : [0x82, code - 0x3041 + 0x9f]
  })
  return { type, body: Buffer.from(bytes.flat()) }
}

/** Compresses a body as the request allows; `prefersBrotli` decides if it allows both. */
export function packBody(body: Buffer, accepted: string, prefersBrotli: boolean) {
  if (prefersBrotli && /\bbr\b/.test(accepted)) return { coding: 'br', packed: brotliCompressSync(body) }
  if (/\bgzip\b/.test(accepted)) return { coding: 'gzip', packed: gzipSync(body) }
  return { coding: null, packed: body }
}
