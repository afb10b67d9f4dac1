import { promisify } from 'node:util'
import { constants, gunzip, gzip, gzipSync } from 'node:zlib'
import type { ReceiptId } from '#src/document/ids.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

const RECEIPT_FILE = /^([0-9a-f]{64}-[0-9a-f]{16})\.json\.gz$/

/** `<aa>/<content hash>-<recipe hash>.json.gz`, below `receipts/`. */
export function receiptPath(id: ReceiptId): string {
  if (!RECEIPT_FILE.test(`${id}.json.gz`)) throw new Error(`${JSON.stringify(id)} is no receipt id`)
  return `${id.slice(0, 2)}/${id}.json.gz`
}

export function receiptIdOf(fileName: string): ReceiptId | null {
  return (RECEIPT_FILE.exec(fileName)?.[1] ?? null) as ReceiptId | null
}

/** The lightest level: answers are text, and half the size costs a tenth of the time of a third of it. */
const LIGHTEST = { level: constants.Z_BEST_SPEED }

/** Up to this size packing takes less than handing it to a thread and back. */
const AT_ONCE_BYTES = 32 * 1024

export async function packReceipt(body: Buffer): Promise<Buffer> {
  return body.length <= AT_ONCE_BYTES ? gzipSync(body, LIGHTEST) : pack(body, LIGHTEST)
}

/** Null for a receipt that was cut off or altered: gzip's length and CRC-32 do not fit then. */
export async function unpackReceipt(packed: Buffer): Promise<Buffer | null> {
  try {
    return await unpack(packed)
  } catch {
    return null
  }
}
