import { hash } from 'node:crypto'
import type { ReceiptId } from '#src/document/ids.ts'
import { ClaimLost } from '#src/document/claim-lost.ts'
import { type DocumentRecord, type OutputFile, receiptsOf, type PieceRecord } from '#src/document/record.ts'
import type { Documents, OutputStore, Receipts } from '#src/ports/output-store.ts'
import type { Policy, Stores } from './deps.ts'
import { type AnswerReading, readAnswer } from '#src/client/read-answer.ts'
import { mergePages } from '../answers/merge-pages.ts'
import { marksPages, stitchAnswers } from '../answers/stitch-answers.ts'

/** Dependencies of a derivation: the renderer and the store. */
export interface Rendering extends Pick<Policy, 'render'> {
  readonly store: Pick<OutputStore, 'documents' | 'receipts'>
}

export type Rederived =
  | { readonly kind: 'same' }
  | { readonly kind: 'written' }
  /** Nothing is stored to derive from: zero data retention, or the receipt was removed or damaged. */
  | { readonly kind: 'no_receipt' }

/**
 * Derives a document's outputs again from its receipts. Commits them if they, or the stored files, differ from the
 * record. Sends nothing, and costs nothing.
 */
export async function rederive(
  record: DocumentRecord,
  { store: { documents, receipts }, render }: Rendering,
): Promise<Rederived> {
  const reading = await keptAnswer(record, receipts)
  if (reading === null) return { kind: 'no_receipt' }
  const files = render(reading.data, record.key)
  const described = [...files].map(describeFile)
  const same = JSON.stringify(described) === JSON.stringify(record.files)
  if (same && (await damageOf(record, documents)).length === 0) return { kind: 'same' }
  return { kind: (await isCommitted(documents, { ...record, files: described }, files)) ? 'written' : 'same' }
}

/** False if a worker has committed the document since the read of the record: nothing remains to do. */
async function isCommitted(
  documents: Pick<Documents, 'commit'>,
  record: DocumentRecord,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<boolean> {
  try {
    await documents.commit(record, files)
    return true
  } catch (error) {
    if (error instanceof ClaimLost) return false
    throw error
  }
}

export const describeFile = ([name, content]: readonly [string, Uint8Array]): OutputFile => ({
  name,
  bytes: content.length,
  sha256: hash('sha256', content),
})

/** Missing receipts of a record; null for an answer that was not stored. */
export async function missingReceipts(
  record: DocumentRecord,
  receipts: Pick<Receipts, 'read'>,
): Promise<readonly (ReceiptId | null)[]> {
  const missing: (ReceiptId | null)[] = []
  for (const receipt of receiptsOf(record)) {
    if (receipt === null || (await receipts.read(receipt)) === null) missing.push(receipt)
  }
  return missing
}

/** True if outputs and receipts match the record. */
export async function isWhole(
  record: DocumentRecord,
  { documents, receipts }: Pick<Stores, 'documents' | 'receipts'>,
): Promise<boolean> {
  const missing = await missingReceipts(record, receipts)
  return missing.every((receipt) => receipt === null) && (await damageOf(record, documents)).length === 0
}

/** One sentence for each file that differs from the record. */
export async function damageOf(
  record: DocumentRecord,
  documents: Pick<Documents, 'readOutput'>,
): Promise<readonly string[]> {
  const damage = await Promise.all(
    record.files.map(async (file) => damageOfFile(file, await documents.readOutput(record.key, file.name, record))),
  )
  return damage.filter((sentence) => sentence !== null)
}

function damageOfFile(file: OutputFile, content: Buffer | null): string | null {
  if (content === null) return `${file.name} is missing`
  if (content.length !== file.bytes) {
    return `${file.name} was altered: it has ${content.length} bytes, and its record says ${file.bytes}`
  }
  const isSame = describeFile([file.name, content]).sha256 === file.sha256
  return isSame ? null : `${file.name} was altered: its SHA-256 is not that of its record`
}

/**
 * Commits the same outputs again, under a record with the time when the document was detected as gone, or without one.
 * This also removes the dead letter of a later version. If the outputs are damaged, only the ledger changes; `verify`
 * reports the damage.
 */
export async function recommit(
  record: DocumentRecord,
  goneAt: Date | null,
  documents: Pick<Documents, 'readOutput' | 'commit'>,
): Promise<void> {
  const files = new Map<string, Uint8Array>()
  for (const { name } of record.files) {
    const bytes = await documents.readOutput(record.key, name, record)
    if (bytes !== null) files.set(name, bytes)
  }
  if (files.size < record.files.length) return
  const { goneAt: _, ...present } = record
  await isCommitted(documents, goneAt === null ? present : { ...present, goneAt: goneAt.toISOString() }, files)
}

/** Reads the answer of a record's outputs from its receipts; null if one was not stored or is damaged. */
async function keptAnswer(record: DocumentRecord, receipts: Pick<Receipts, 'read'>): Promise<AnswerReading | null> {
  const receivedAtMs = Date.parse(record.finishedAt)
  const read = async ({ receipt }: Pick<PieceRecord, 'receipt'>): Promise<AnswerReading | null> => {
    const kept = receipt === null ? null : await receipts.read(receipt)
    return kept === null ? null : readAnswer(kept.body, receivedAtMs)
  }
  if (record.pieces === undefined) return read(record)
  const pieces = []
  for (const piece of record.pieces.filter(({ compared }) => compared !== true)) {
    const reading = await read(piece)
    if (reading === null) return null
    pieces.push({ ...piece, reading })
  }
  const pageMarkers = marksPages(record.recipe)
  const bought = pieces.flatMap(({ pages, reading }) => (pages === undefined ? [] : [{ pages, reading }]))
  const consecutive = pieces.filter(({ pages }) => pages === undefined)
  const totalPages = record.pages.total ?? consecutive.at(-1)?.lastPage ?? 0
  const [only, ...more] = consecutive
  const hasPages = record.pieces.some(({ pages }) => pages !== undefined)
  const whole =
    only !== undefined && more.length === 0 && hasPages
      ? only.reading
      : stitchAnswers(consecutive, { totalPages, pageMarkers }, receivedAtMs)
  return bought.length === 0 ? whole : mergePages(whole, bought, { pageMarkers }, receivedAtMs).reading
}
