import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CutReport, type CutTask, type PieceFile, WHOLE_FILE } from './cut-task.ts'
import { halvesOf, qpdfRange } from '#src/document/page-list.ts'
import { evenRanges, pagesIn } from './page-ranges.ts'
import { type Qpdf, QPDF_FOLDER, type QpdfRun } from './qpdf.ts'

const HASH_CHUNK_BYTES = 1024 * 1024

/**
 * Cuts the document of a task into pieces below its limit, or cuts out the lists of pages. It halves pieces that are
 * too large. A piece has its pages copied into an empty PDF, without the outline and structure of the document, which
 * would pull the other pages in. It copies streams unchanged and derives the file id from the content, so that every
 * cut of a document gives the same bytes. Writes files into the task's folder; blocks until it is done.
 */
export function cutPdf(qpdf: Qpdf, { folder, limitBytes, upToPage, mostPages, lists }: CutTask): CutReport {
  const counted = qpdf(['--show-npages', `${QPDF_FOLDER}/${WHOLE_FILE}`])
  const problem = problemOf(counted)
  if (problem !== null) return problem
  const totalPages = Number.parseInt(counted.output, 10)
  if (!(totalPages > 0)) return { kind: 'damaged' }

  const { size: bytes } = statSync(join(folder, WHOLE_FILE))
  const whole = { pages: totalPages, bytes, limitBytes, mostPages }
  const listed = lists?.map((pages) => pages.filter((page) => page <= totalPages)).filter((pages) => pages.length > 0)
  const waiting = listed ?? evenRanges(whole, upToPage ?? totalPages).map(pagesIn)
  const pieces: PieceFile[] = []
  const tooLarge: { page: number; bytes: number }[] = []
  for (let pages = waiting.shift(); pages !== undefined; pages = waiting.shift()) {
    const piece = pieceOf(pages, qpdf, folder)
    if ('kind' in piece) return piece
    if (piece.bytes <= limitBytes) {
      pieces.push({ ...piece, sha256: sha256Of(join(folder, piece.name)) })
      continue
    }
    rmSync(join(folder, piece.name))
    const [page = 1, ...more] = pages
    if (more.length > 0) waiting.unshift(...halvesOf(pages))
    else if (lists === null) return { kind: 'page-too-large', page, bytes: piece.bytes }
    else tooLarge.push({ page, bytes: piece.bytes })
  }
  return { kind: 'cut', totalPages, pieces, tooLarge }
}

function pieceOf(pages: readonly number[], qpdf: Qpdf, folder: string): Omit<PieceFile, 'sha256'> | CutReport {
  const [firstPage = 1, lastPage = firstPage] = [pages[0], pages.at(-1)]
  const name = `${qpdfRange(pages)}.pdf`
  const written = qpdf([
    '--empty',
    '--deterministic-id',
    '--stream-data=preserve',
    '--pages',
    `${QPDF_FOLDER}/${WHOLE_FILE}`,
    qpdfRange(pages),
    '--',
    `${QPDF_FOLDER}/${name}`,
  ])
  return problemOf(written) ?? { firstPage, lastPage, pages, name, bytes: statSync(join(folder, name)).size }
}

/**
 * qpdf warns about many PDFs that every reader shows without complaint. Refuses a file that qpdf calls damaged, or
 * whose cross-reference table it had to reconstruct: it may lack pages, and no later step would detect that.
 */
function problemOf({ exitCode, output }: QpdfRun): CutReport | null {
  if (exitCode === 'error') return { kind: /invalid password/i.test(output) ? 'encrypted' : 'damaged' }
  return exitCode === 'warnings' && /file is damaged|reconstruct/i.test(output) ? { kind: 'damaged' } : null
}

function sha256Of(path: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(HASH_CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}
