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

/** Number of pieces of one document sent concurrently. */
const AT_ONCE = 4

/** Formats that a model writes for a complete document: pieces would have several. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['json', 'summary'])

export interface LongPdf {
  readonly cutter: PieceCutter
  readonly mostPages: number
}

/**
 * Plan of cuts for a PDF whose pages are expected to exceed the contract's timeout; null for any other document.
 * `pages`: its number of pages, null if uncounted, as for the embedded engine.
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
 * Steps 2 to 4 for such a PDF: sends its pieces concurrently, under the limiter. A piece that the service refuses, or
 * that times out, is halved and sent again. An unreadable page is thus left out, and costs only itself. A transient
 * failure first gets a retry, as for any document; the retry finds the existing answers.
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
    .slice(0, MAX_NAMED)
    .map(([page, { message }]) => `page ${page} was left out: ${message}`)
  const reading = { ...whole.reading, problems: [...whole.reading.problems, ...problems] }
  return { kind: 'parsed', answer: { ...whole, reading } }
}

const MAX_NAMED = 10

/**
 * Parses pieces concurrently and passes on the result of each: its answer, or a permanent failure. Resolves with the
 * reason if the document waits or gets a retry; no further piece starts then. All of them end before an error is
 * thrown: no request stays in flight.
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
    else if (outcome.kind === 'failed' && isWorthRetry(outcome, piece, work)) stopped ??= outcome
    else onEnded(outcome, piece)
  }
  const limit = pLimit(AT_ONCE)
  const ended = await Promise.allSettled(pieces.map((piece) => limit(parse, piece)))
  const broken = ended.find((one) => one.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return stopped
}

/** True if a retry may help. More time does not help if single pages can be sent instead. */
function isWorthRetry({ countsUntil, failure }: Failed, { pages }: Piece, { attempt }: Work): boolean {
  const isLast = countsUntil === 'final' || attempt >= MAX_ATTEMPTS
  return !isLast && !(failure.code === 'timeout' && pages.length > 1)
}
