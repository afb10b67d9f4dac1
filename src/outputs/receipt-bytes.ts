import { promisify } from 'node:util'
import { constants, crc32, gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'
import type { ReceiptId } from '#src/document/ids.ts'
import type { ReceiptMemory } from '#src/ports/output-store.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import { PARSER_CLASSES } from '#src/document/parser-class.ts'
import type { Receipt } from '#src/document/record.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

const PAGES = String.raw`(?:\.p[\d._]+)?`
const RECEIPT_FILE = new RegExp(
  `^([0-9a-f]{64}${PAGES}-[0-9a-f]{16}(?:-(?:${PARSER_CLASSES.join('|')}))?)\\.json\\.gz$`,
)

/**
 * `<aa>/<content hash>-<recipe hash>-<class of parser>.json.gz`, below `receipts/`; format 1 lacks the class. An answer
 * for some pages of a document has them after the content hash: `.p3.7_9`.
 */
export function receiptPath(id: ReceiptId): string {
  if (!RECEIPT_FILE.test(`${id}.json.gz`)) throw new Error(`${JSON.stringify(id)} is not a receipt id`)
  return `${id.slice(0, 2)}/${id}.json.gz`
}

export function receiptIdOf(fileName: string): ReceiptId | null {
  return (RECEIPT_FILE.exec(fileName)?.[1] ?? null) as ReceiptId | null
}

/**
 * Fastest compression level. Answers are text, and it halves their size. A third of the size would take ten times as
 * long.
 */
const LIGHTEST = { level: constants.Z_BEST_SPEED }

/** Threshold in bytes: up to it, compression takes less time than a hop to a thread and back. */
const AT_ONCE_BYTES = 32 * 1024

/**
 * The comment of the gzip header names the parser, so the output of `gunzip` is the answer alone. It also holds the
 * receipt's own id, which reveals a receipt under the name of another.
 */
export async function packReceipt(id: ReceiptId, { body, parser }: Receipt): Promise<Buffer> {
  const packed = body.length <= AT_ONCE_BYTES ? gzipSync(body, LIGHTEST) : await pack(body, LIGHTEST)
  return parser === null ? packed : withComment(packed, asciiJson({ ...parser, receipt: id }))
}

/** RFC 1952: ten bytes of fixed header, the zero-terminated comment, two bytes of CRC over both. */
const FIXED_HEADER_BYTES = 10
const FLAGS_AT = 3
const HEADER_CRC = 0x02
const COMMENT = 0x10

function withComment(packed: Buffer, comment: string): Buffer {
  const header = Buffer.concat([packed.subarray(0, FIXED_HEADER_BYTES), Buffer.from(`${comment}\0`, 'latin1')])
  header[FLAGS_AT] = COMMENT | HEADER_CRC
  const check = Buffer.alloc(2)
  check.writeUInt16LE(crc32(header) & 0xffff)
  return Buffer.concat([header, check, packed.subarray(FIXED_HEADER_BYTES)])
}

interface Comment extends ParserFacts {
  /** Absent in receipts of releases up to 0.2. */
  readonly receipt?: ReceiptId
}

function commentOf(packed: Buffer): Comment | null {
  if (((packed[FLAGS_AT] ?? 0) & COMMENT) === 0) return null
  const text = packed.toString('latin1', FIXED_HEADER_BYTES, packed.indexOf(0, FIXED_HEADER_BYTES))
  return JSON.parse(text) as Comment
}

const asciiJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Null for a truncated or altered receipt, which gzip's length and checksum (CRC-32) reveal, and for one with another
 * id.
 */
export async function unpackReceipt(id: ReceiptId, packed: Buffer, memory?: ReceiptMemory): Promise<Receipt | null> {
  const bytes = bodyBytesOf(packed)
  await memory?.hold.grow(bytes, memory.signal)
  try {
    // One byte more: a longer body is damaged, and zlib accepts no zero.
    const limit = { maxOutputLength: bytes + 1 }
    const body = bytes <= AT_ONCE_BYTES ? gunzipSync(packed, limit) : await unpack(packed, limit)
    const comment = commentOf(packed)
    if (comment === null) return { body, parser: null }
    const { receipt = id, ...parser } = comment
    if (receipt === id) return { body, parser }
    memory?.hold.giveBack(bytes)
    return null
  } catch {
    memory?.hold.giveBack(bytes)
    return null
  }
}

/** RFC 1952: the length before compression, in the last four bytes. Every receipt is much smaller than their 4 GiB. */
function bodyBytesOf(packed: Buffer): number {
  return packed.length < FIXED_HEADER_BYTES ? 0 : packed.readUInt32LE(packed.length - 4)
}
