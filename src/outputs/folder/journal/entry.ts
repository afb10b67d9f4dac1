import { crc32 } from 'node:zlib'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'

/*
 * A segment of the journal is a sequence of frames. A frame has the length of the payload and its CRC-32, 4 bytes each,
 * little endian, and the payload. The payload has the length of the header (4 bytes), the header in JSON, then the
 * blobs that the header lists. The first frame names the boot of the machine; each other frame is an entry.
 */

/** Change of a write to the store, with all bytes for a replay. */
export type JournalEntry =
  | { readonly kind: 'receipt'; readonly id: ReceiptId; readonly blobs: Blobs }
  /** Outputs and `record.json`. */
  | { readonly kind: 'commit'; readonly key: SourceKey; readonly blobs: Blobs }
  /** A commit whose files are flushed one by one: its `record.json` alone. */
  | { readonly kind: 'flushed-commit'; readonly key: SourceKey; readonly blobs: Blobs }
  | { readonly kind: 'letter'; readonly key: SourceKey; readonly blobs: Blobs }
  | { readonly kind: 'removal'; readonly key: SourceKey; readonly blobs: Blobs }

export type Blobs = ReadonlyMap<string, Uint8Array>

/**
 * An entry with its time of write: `at` in microseconds since the boot, the same clock for all processes; `wallMs`
 * since 1970.
 */
export type WrittenEntry = JournalEntry & { readonly at: number; readonly wallMs: number }

export interface ReadSegment {
  /** Boot id of the machine at the time of the write; null if the segment has no complete frame. */
  readonly boot: string | null
  readonly entries: readonly WrittenEntry[]
}

const FRAME_HEAD_BYTES = 8
const LENGTH_BYTES = 4

export function bootFrame(boot: string): Buffer {
  return frame({ kind: 'boot', boot }, new Map())
}

export function entryFrame({ blobs, ...header }: JournalEntry): Buffer {
  const at = Number(process.hrtime.bigint() / 1000n)
  return frame({ ...header, at, wallMs: Date.now() }, blobs)
}

function frame(header: object, blobs: Blobs): Buffer {
  const list = [...blobs].map(([name, bytes]) => [name, bytes.length])
  const json = Buffer.from(JSON.stringify({ ...header, blobs: list }))
  const head = Buffer.alloc(FRAME_HEAD_BYTES + LENGTH_BYTES)
  const whole = Buffer.concat([head, json, ...blobs.values()])
  const payload = whole.subarray(FRAME_HEAD_BYTES)
  payload.writeUInt32LE(json.length)
  whole.writeUInt32LE(payload.length)
  whole.writeUInt32LE(crc32(payload), LENGTH_BYTES)
  return whole
}

/** Reads up to the first incomplete frame. A frame without a flush before a power loss was never reported as done. */
export function readSegment(bytes: Buffer): ReadSegment {
  let boot: string | null = null
  const entries: WrittenEntry[] = []
  for (let from = 0; ;) {
    const payload = payloadAt(bytes, from)
    if (payload === null) return { boot, entries }
    from += FRAME_HEAD_BYTES + payload.length
    const headerEnd = LENGTH_BYTES + payload.readUInt32LE()
    const header = JSON.parse(payload.toString('utf8', LENGTH_BYTES, headerEnd)) as Header
    if (header.kind === 'boot') {
      boot = header.boot ?? null
      continue
    }
    const blobs = new Map<string, Uint8Array>()
    let at = headerEnd
    for (const [name, length] of header.blobs) {
      blobs.set(name, payload.subarray(at, at + length))
      at += length
    }
    entries.push({ ...header, blobs } as unknown as WrittenEntry)
  }
}

interface Header {
  readonly kind: JournalEntry['kind'] | 'boot'
  readonly boot?: string
  readonly blobs: readonly (readonly [name: string, bytes: number])[]
}

function payloadAt(bytes: Buffer, from: number): Buffer | null {
  if (bytes.length < from + FRAME_HEAD_BYTES + LENGTH_BYTES) return null
  const start = from + FRAME_HEAD_BYTES
  const length = bytes.readUInt32LE(from)
  if (length < LENGTH_BYTES || bytes.length < start + length) return null
  const payload = bytes.subarray(start, start + length)
  return crc32(payload) === bytes.readUInt32LE(from + LENGTH_BYTES) ? payload : null
}
