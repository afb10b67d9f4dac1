import pLimit from 'p-limit'
import { mostPagesIn } from '#src/client/timeouts.ts'
import { MAX_ATTEMPTS } from '#src/kit/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import { halvesOf } from '#src/document/page-list.ts'
import type { CutRequest, Piece, PieceCutter } from '#src/ports/piece-cutter.ts'
import type { DocumentDeps, Policy } from '../document/deps.ts'
import { cutDocument, inRecord, type ParsedPiece, parsePiece, wholeOf } from './ingest-pieces.ts'
import type { NotParsed, Parsed } from '../document/obtain-answer.ts'
import { type Failed, failed, type Unfinished } from '../document/purchase.ts'
import type { Work } from '../document/work.ts'

/** Pieces of one document that are sent side by side. */
const AT_ONCE = 4

/** Formats that a model writes for a document as a whole: of pieces there would be several. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['json', 'summary'])

export interface LongPdf {
  readonly cutter: PieceCutter
  readonly mostPages: number
}

/**
 * How a PDF is cut whose pages are expected to take the service longer than the contract allows; null for any other
 * document. `pages`: what it has, null where they are not counted, as for the embedded engine.
 */
export function longPdf(
  { extension, recipe: { options } }: Work,
  pages: number | null,
  { cutter }: Pick<Policy, 'cutter'>,
): LongPdf | null {
  const [parser] = options.parsers
  if (cutter === null || pages === null || extension !== 'pdf' || parser === undefined) return null
  if (options.formats.some(({ type }) => OF_THE_WHOLE.has(type))) return null
  const mostPages = mostPagesIn(options)
  return Math.min(pages, parser.maxPages ?? pages) > mostPages ? { cutter, mostPages } : null
}

/**
 * Steps 2 to 4 for such a PDF: its pieces are sent side by side, under the limiter. One that the service refuses, or that
 * runs out of time, is halved and sent again: a page that cannot be read is left out, and costs itself alone. What may
 * pass is first tried again as any document; the answers that came are found again then.
 */
export async function ingestLongPdf(
  work: Work,
  { cutter, mostPages }: LongPdf,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Parsed | NotParsed> {
  const pieces: ParsedPiece[] = []
  const leftOut = new Map<number, Failure>()
  let totalPages = 0
  let wanted: Omit<CutRequest, 'read'> | null = {
    upToPage: work.recipe.options.parsers[0]?.maxPages ?? null,
    mostPages,
  }
  while (wanted !== null) {
    const cut = await cutDocument(work, cutter, wanted, signal)
    if (cut.kind === 'failed') return { ...cut, pieces: pieces.map(inRecord) }
    await using document = cut
    totalPages = document.totalPages
    for (const { page, failure } of document.failed ?? []) leftOut.set(page, failure)
    const halves: number[][] = []
    const stopped = await forEachPiece(document.pieces, work, deps, signal, (outcome, { pages }) => {
      if (outcome.kind === 'piece') pieces.push(outcome)
      else if (pages.length > 1) halves.push(...halvesOf(pages))
      else for (const page of pages) leftOut.set(page, outcome.failure)
    })
    if (stopped !== null) return { ...stopped, pieces: pieces.map(inRecord) }
    wanted = halves.length === 0 ? null : { upToPage: null, lists: halves }
  }
  pieces.sort((a, b) => a.firstPage - b.firstPage)
  const [[, failure] = []] = leftOut
  if (pieces.length === 0 && failure !== undefined) return failed(failure)
  const whole = wholeOf(pieces, totalPages, work, deps.run)
  const problems = [...leftOut]
    .toSorted(([a], [b]) => a - b)
    .slice(0, MOST_NAMED)
    .map(([page, { message }]) => `page ${page} was left out: ${message}`)
  const reading = { ...whole.reading, problems: [...whole.reading.problems, ...problems] }
  return { kind: 'parsed', answer: { ...whole, reading } }
}

const MOST_NAMED = 10

/**
 * Parses pieces side by side and passes on what came of each: its answer, or a failure that stays. Resolves with the
 * reason why the document waits or is tried again; then no further piece is begun. All of them end before an error is
 * thrown: no request is left behind.
 */
async function forEachPiece(
  pieces: readonly Piece[],
  work: Work,
  deps: DocumentDeps,
  signal: AbortSignal,
  onEnded: (outcome: ParsedPiece | Failed, piece: Piece) => void,
): Promise<Unfinished | null> {
  let stopped: Unfinished | null = null
  const parse = async (piece: Piece): Promise<void> => {
    if (stopped !== null) return
    using hold = deps.run.answerMemory.hold()
    const outcome = await parsePiece(piece, { ...work, hold }, deps, signal)
    if (outcome.kind === 'later') stopped = outcome
    else if (outcome.kind === 'failed' && mayPass(outcome, piece, work)) stopped ??= outcome
    else onEnded(outcome, piece)
  }
  const limit = pLimit(AT_ONCE)
  const ended = await Promise.allSettled(pieces.map((piece) => limit(parse, piece)))
  const broken = ended.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return stopped
}

/** Whether another attempt may help; more time does not, where the pages may come one by one. */
function mayPass({ countsUntil, failure }: Failed, { pages }: Piece, { attempt }: Work): boolean {
  const isLast = countsUntil === 'final' || attempt >= MAX_ATTEMPTS
  return !isLast && !(failure.code === 'timeout' && pages.length > 1)
}
