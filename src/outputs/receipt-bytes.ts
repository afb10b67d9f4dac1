import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
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
export async function packReceipt(body: Buffer): Promise<Buffer> {
  return pack(body, { level: constants.Z_BEST_SPEED })
}

/** Null for a receipt that was cut off or altered: gzip's length and CRC-32 do not fit then. */
export async function unpackReceipt(packed: Buffer): Promise<Buffer | null> {
  try {
    return await unpack(packed)
  } catch {
    return null
  }
}
