import { gunzipSync, gzipSync } from 'node:zlib'

/*
 * A pack is one object that holds several. It has an eight-byte mark, the length of the index (four bytes, little
 * endian), the index (gzip of JSON), then the bytes of the objects. Pure.
 */

const MARK = Buffer.from('SLUICEP1')
const HEAD_BYTES = MARK.length + 4

/** Size of the first read of a pack: holds the complete index of some hundred objects. */
export const FIRST_READ_BYTES = 32 * 1024

/** Row of a pack's index. Each name has one row. */
export type PackRow =
  /** The object is in the pack, at this offset from its start. */
  | { readonly kind: 'inside'; readonly name: string; readonly offset: number; readonly length: number }
  /** The object is separate, `packs/large/<id>`. */
  | { readonly kind: 'large'; readonly name: string; readonly id: string }
  | { readonly kind: 'removed'; readonly name: string }

export interface PackIndex {
  /** Random: identifies the write for a writer that lost its answer. */
  readonly id: string
  readonly rows: readonly PackRow[]
}

/** Content to write for a name: its bytes, their location, or a removal. */
export type PackContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'large'; readonly id: string }
  | { readonly kind: 'removed' }

type RawRow = readonly [name: string, offset: number, length: number] | readonly [name: string, large?: string]

export interface EncodedPack {
  readonly bytes: Buffer
  readonly index: PackIndex
}

export function encodePack(id: string, contents: readonly (readonly [string, PackContent])[]): EncodedPack {
  const raw: RawRow[] = []
  const data: Uint8Array[] = []
  let offset = 0
  for (const [name, content] of contents) {
    if (content.kind === 'bytes') {
      raw.push([name, offset, content.bytes.length])
      data.push(content.bytes)
      offset += content.bytes.length
    } else raw.push(content.kind === 'large' ? [name, content.id] : [name])
  }
  const index = gzipSync(JSON.stringify({ id, rows: raw }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(index.length)
  const start = HEAD_BYTES + index.length
  return {
    bytes: Buffer.concat([MARK, length, index, ...data]),
    index: { id, rows: raw.map((row) => packRowOf(row, start)) },
  }
}

/** Number of bytes from the start that hold the index; null if it is not a pack. */
export function indexEnd(head: Buffer): number | null {
  if (head.length < HEAD_BYTES || !head.subarray(0, MARK.length).equals(MARK)) return null
  return HEAD_BYTES + head.readUInt32LE(MARK.length)
}

/** Decodes the index from a pack's first bytes, as many as `indexEnd` returns. Throws if it is not a pack. */
export function decodeIndex(head: Buffer): PackIndex {
  const end = indexEnd(head)
  if (end === null || head.length < end) throw new Error('the index of the pack is incomplete')
  const { id, rows } = JSON.parse(gunzipSync(head.subarray(HEAD_BYTES, end)).toString('utf8')) as {
    readonly id: string
    readonly rows: readonly RawRow[]
  }
  return { id, rows: rows.map((row) => packRowOf(row, end)) }
}

function packRowOf(row: RawRow, start: number): PackRow {
  const [name, at, length] = row
  if (typeof at === 'number') return { kind: 'inside', name, offset: start + at, length: length ?? 0 }
  return at === undefined ? { kind: 'removed', name } : { kind: 'large', name, id: at }
}
