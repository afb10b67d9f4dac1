import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import type { DocumentRecord, PieceRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { mergePages } from '../answers/merge-pages.ts'
import { marksPages, stitchAnswers } from '../answers/stitch-answers.ts'

/** The answer that a record's outputs were derived from, from its receipts; null when one was not kept or is damaged. */
export async function keptAnswer(
  record: DocumentRecord,
  store: Pick<OutputStore, 'readReceipt'>,
): Promise<AnswerReading | null> {
  const receivedAtMs = Date.parse(record.finishedAt)
  const read = async ({ receipt }: Pick<PieceRecord, 'receipt'>): Promise<AnswerReading | null> => {
    const kept = receipt === null ? null : await store.readReceipt(receipt)
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
