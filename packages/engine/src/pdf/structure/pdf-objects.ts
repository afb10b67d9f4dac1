import { inflateSync } from 'node:zlib'

/** Maximum size in bytes. The parser skips larger files, because their streams cost more time than rendering. */
const MAX_BYTES = 64e6
/** Maximum size in bytes. Larger object streams are hostile. */
const MAX_INFLATED = 32e6
/** Maximum size in bytes. Dictionaries are short, and longer ones are damage. */
const MAX_DICTIONARY = 2e6

/**
 * Parses the dictionaries of a PDF's objects by number, without their streams (PDF 1.7, sections 7.3.10 and 7.5.7). An
 * object with two definitions has both texts. Null if the objects are uncertain, as in encrypted object streams.
 */
export function pdfObjects(file: Buffer): ReadonlyMap<number, string> | null {
  if (file.length > MAX_BYTES) return null
  const objects = new Map<number, string>()
  const add = (number: number, text: string): void => {
    objects.set(number, `${objects.get(number) ?? ''} ${text}`)
  }
  for (let at = file.indexOf(' obj'); at >= 0; at = file.indexOf(' obj', at + 4)) {
    const number = /(\d+)\s+\d+$/.exec(file.toString('latin1', Math.max(0, at - 20), at))?.[1]
    if (number === undefined) continue
    const end = nearest(file, at, 'endobj')
    const stream = streamAfter(file, at, end)
    const bodyEnd = Math.min(end, stream)
    if (bodyEnd - at > MAX_DICTIONARY) return null
    const text = file.toString('latin1', at + 4, bodyEnd)
    add(Number(number), text)
    if (!/\/ObjStm\b/.test(text)) continue
    const inner = objectStream(text, file.subarray(stream))
    if (inner === null) return null
    for (const [own, body] of inner) add(own, body)
  }
  return objects
}

function nearest(file: Buffer, from: number, word: string): number {
  const at = file.indexOf(word, from)
  return at < 0 ? file.length : at
}

/** Returns the offset of the `stream` keyword after a dictionary. Names and texts may contain the same letters. */
function streamAfter(file: Buffer, from: number, end: number): number {
  for (let at = nearest(file, from, 'stream'); at < end; at = nearest(file, at + 6, 'stream')) {
    if (/>>\s*$/.test(file.toString('latin1', Math.max(from, at - 20), at))) return at
  }
  return end
}

function objectStream(dictionary: string, from: Buffer): [number: number, text: string][] | null {
  const count = Number(/\/N\s+(\d+)/.exec(dictionary)?.[1] ?? NaN)
  const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1] ?? NaN)
  const start = from.indexOf('\n') + 1
  if (Number.isNaN(count + first) || /\/DecodeParms/.test(dictionary)) return null
  try {
    const text = inflateSync(from.subarray(start), { maxOutputLength: MAX_INFLATED }).toString('latin1')
    const head = text.slice(0, first).trim().split(/\s+/).map(Number)
    if (head.length < 2 * count) return null
    return Array.from({ length: count }, (_, index) => [
      head[2 * index] ?? 0,
      text.slice(
        first + (head[2 * index + 1] ?? 0),
        index + 1 < count ? first + (head[2 * index + 3] ?? 0) : undefined,
      ),
    ])
  } catch {
    return null
  }
}
