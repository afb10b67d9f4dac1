import type { ChunkContext, ChunkOptions, TokenCounter } from './chunk.ts'
import {
  contextText,
  type ContextParts,
  NO_CONTEXT,
  shorterContexts,
  type UsualContext,
  usualContext,
} from './context.ts'
import type { Outline } from './outline.ts'
import { leadOfRow } from './nested-blocks.ts'
import { overlapOf } from './overlap.ts'
import { addLeaves, type Piece } from './piece.ts'
import { splitPiece } from './split-piece.ts'
import { WIDE_GAP } from './white-space.ts'
import { WholeMeter } from './whole-meter.ts'
import { WordMeter } from './word-meter.ts'

/** The pieces of one chunk, in order, with their context. */
export interface PackedChunk {
  readonly pieces: readonly Piece[]
  readonly context: string
  readonly tokens: number
  readonly parts: ContextParts
}

interface Group {
  readonly pieces: Piece[]
  /** Tokens of its pieces, and those reserved for its context. */
  size: number
  reserve: number
}

/** Sentinel at the end of a split section: later pieces do not share a chunk with its last part. */
const SECTION_END = Symbol('section end')

/** Sentinel at the end of a split page: not even a heading moves to the next one. */
const PAGE_END = Symbol('page end')

/**
 * Maximum length of a long word's parts in one chunk, in UTF-16 units: tokenizers take quadratic time for a run without
 * a boundary.
 */
const MAX_WORD_UNITS = 2048

/** Maximum difference in tokens between context and body together and separately. */
const JOINT_TOKENS = 4

/** Threshold: text of fewer tokens, such as a line above a table, joins the chunk of a neighbour. */
const SMALL_TOKENS = 20

/** Kinds that prefer a shorter context over a split. */
const PREFERS_SHORT_CONTEXT = new Set<Piece['kind']>(['page', 'sentence', 'line', 'word', 'heading'])

/**
 * Fills chunks in document order. A piece that fits joins the open chunk. A piece that fits alone starts the next
 * chunk. Any other piece is split and its parts are filled in.
 */
export class ChunkPacker {
  readonly #text: string
  readonly #outline: Outline
  readonly #options: ChunkOptions
  readonly #meter: WordMeter
  readonly #waiting: (Piece | typeof SECTION_END | typeof PAGE_END)[] = []
  /** Closed chunks that were not yielded yet. */
  readonly #ready: PackedChunk[] = []
  #last: PackedChunk | null = null
  #cached: { readonly first: Piece; readonly last: PackedChunk | null; readonly usual: UsualContext } | null = null
  #open: Group = emptyGroup()

  constructor(text: string, outline: Outline, options: ChunkOptions) {
    this.#text = text
    this.#outline = outline
    this.#options = options
    this.#meter = openMeter(text, options.counter, options.limit)
  }

  *pack(): Generator<PackedChunk> {
    this.#prepend(this.#outline.pieces)
    for (;;) {
      const next = this.#waiting.pop()
      if (next === SECTION_END) this.#closeWithoutTrailingHeadings()
      else if (next === PAGE_END) this.#close(0)
      else if (next !== undefined) this.#fill(next)
      else if (this.#open.pieces.length > 0) this.#close(0)
      else break
      // The last chunk may take in a small one after it.
      yield* this.#ready.splice(0, this.#ready.length - 1)
    }
    yield* this.#ready
  }

  /** Puts these at the head of the queue. */
  #prepend(pieces: readonly Piece[]): void {
    for (let index = pieces.length - 1; index >= 0; index--) this.#waiting.push(pieces[index] as Piece)
  }

  #fill(piece: Piece): void {
    // Leftovers of the closed chunk come before it.
    if (!this.#mayJoin(piece)) {
      this.#closeWithoutTrailingHeadings(piece)
      return
    }
    const size = this.#meter.pieceTokens(piece)
    if (this.#fits(piece, size)) {
      this.#add(piece, size)
      return
    }
    const isEmpty = this.#open.pieces.length === 0
    const headsOnly = this.#open.pieces.every(({ keepNext }) => keepNext)
    const splitsFirst =
      size > this.#meter.limit && (piece.kind === 'section' ? this.#isSmall() : !PREFERS_SHORT_CONTEXT.has(piece.kind))
    if (!headsOnly && !splitsFirst) this.#closeWithoutTrailingHeadings(piece)
    else if (!isEmpty && headsOnly && PREFERS_SHORT_CONTEXT.has(piece.kind) && size <= this.#meter.limit) {
      this.#close(0, piece)
    } else this.#split(piece, size)
  }

  #split(piece: Piece, size: number): void {
    const parts = splitPiece(this.#text, piece, this.#options.limit)
    if (parts === null) this.#add(piece, size)
    else {
      if (piece.kind === 'section') this.#waiting.push(SECTION_END)
      else if (piece.kind === 'page') this.#waiting.push(PAGE_END)
      this.#prepend(parts)
    }
  }

  #mayJoin(piece: Piece): boolean {
    const { pieces } = this.#open
    const [first, last] = [pieces[0], pieces.at(-1)]
    if (first === undefined || last === undefined) return true
    if (piece.start - last.end > WIDE_GAP) return false
    if (piece.oversize && last.oversize && piece.end - first.start > MAX_WORD_UNITS) return false
    if (last.keepNext) return piece.own === null || pieces.every(({ keepNext }) => keepNext)
    if (piece.kind !== 'section' && last.oversize !== piece.oversize) return false
    if (last.own === null && piece.own?.kind === 'table' && this.#isSmall()) return true
    return last.own?.at === piece.own?.at && (last.own === null || piece.kind !== 'section')
  }

  #isSmall(): boolean {
    return this.#open.size < SMALL_TOKENS
  }

  #fits(piece: Piece, size: number): boolean {
    const { pieces, size: used, reserve } = this.#open
    const { limit } = this.#meter
    if (pieces.length > 0) return used + size + reserve <= limit
    if (PREFERS_SHORT_CONTEXT.has(piece.kind)) return size <= limit
    return size + this.#reserveOf(piece) <= limit
  }

  #add(piece: Piece, size: number): void {
    if (this.#open.pieces.length === 0) this.#open.reserve = this.#reserveOf(piece)
    addLeaves(piece, this.#open.pieces)
    this.#open.size += size
  }

  #reserveOf(piece: Piece): number {
    return this.#usualContext(piece).tokens
  }

  /** Closes the open chunk without the headings and captions at its end, which move to the next one. */
  #closeWithoutTrailingHeadings(again?: Piece): void {
    const { pieces } = this.#open
    const content = pieces.findLastIndex(({ keepNext }) => !keepNext) + 1
    this.#close(content === 0 ? 0 : pieces.length - content, again)
  }

  #close(carried: number, again?: Piece): void {
    if (again !== undefined) this.#waiting.push(again)
    const { pieces } = this.#open
    this.#open = emptyGroup()
    if (pieces.length === 0) return
    const upTo = pieces.length - carried
    this.#prepend(pieces.slice(upTo))
    this.#emit(carried === 0 ? pieces : pieces.slice(0, upTo))
  }

  /**
   * Emits a chunk. If the exact count exceeds the limit, the last pieces return to the queue, unless a shorter context
   * suffices.
   */
  #emit(pieces: readonly Piece[]): void {
    const { limit } = this.#options
    const [first, last] = [pieces[0] as Piece, pieces.at(-1) as Piece]
    const usual = this.#usualContext(first)
    const isDivisible = pieces.slice(0, -1).some(({ keepNext }) => !keepNext)
    let most = Infinity
    for (const parts of shorterContexts(usual.parts)) {
      if (parts.repeat !== usual.parts.repeat && pieces.length > 1) break
      const context = parts === usual.parts ? usual.text : contextText(parts)
      if (this.#meter.contextTokens(context) > most) continue
      const tokens = this.#meter.totalTokens(context, first.start, last.end)
      if (tokens <= limit) {
        this.#finish({ pieces, context, tokens, parts })
        return
      }
      if (isDivisible) {
        this.#requeueLast(pieces, tokens - limit)
        return
      }
      // Skips contexts that are shorter by much less than the excess, without counting them.
      most = this.#meter.contextTokens(context) - (tokens - limit) + JOINT_TOKENS
    }
    if (pieces.length > 1) {
      this.#requeueLast(pieces, 1)
      return
    }
    const parts = splitPiece(this.#text, first, limit)
    if (parts !== null) this.#prepend(parts)
    else {
      const tokens = this.#meter.totalTokens('', first.start, first.end)
      this.#finish({ pieces, context: '', tokens, parts: NO_CONTEXT.parts })
    }
  }

  /** Returns the last pieces, `tokens` in total, to the queue; the others make the chunk. */
  #requeueLast(pieces: readonly Piece[], tokens: number): void {
    let kept = pieces.length
    for (let left = tokens; left > 0 && kept > 1;) left -= this.#meter.pieceTokens(pieces[--kept] as Piece)
    this.#prepend(pieces.slice(kept))
    this.#emit(pieces.slice(0, kept))
  }

  #finish(chunk: PackedChunk): void {
    const joined = this.#joinedToLast(chunk)
    if (joined !== null) this.#ready.pop()
    this.#last = joined ?? chunk
    this.#ready.push(this.#last)
  }

  /** Joins small text to the chunk before it, below the same headings; null if it is not small or does not fit. */
  #joinedToLast({ pieces }: PackedChunk): PackedChunk | null {
    const before = this.#last
    const [end, first, last] = [before?.pieces.at(-1), pieces[0], pieces.at(-1)]
    if (before === null || end === undefined || first === undefined || last === undefined) return null
    if (first.start - end.end > WIDE_GAP || end.oversize || isAlone(end)) return null
    if (!pieces.every((piece) => isText(piece, end.headings))) return null
    if (pieces.reduce((sum, piece) => sum + this.#meter.pieceTokens(piece), 0) >= SMALL_TOKENS) return null
    const tokens = this.#meter.totalTokens(before.context, before.pieces[0]?.start ?? 0, last.end)
    return tokens > this.#options.limit ? null : { ...before, pieces: [...before.pieces, ...pieces], tokens }
  }

  /** Cached, because each chunk asks several times, always by its first piece. */
  #usualContext(first: Piece): UsualContext {
    if (this.#cached?.first === first && this.#cached.last === this.#last) return this.#cached.usual
    const { limit } = this.#options
    const usual = usualContext(this.#partsOf(first), limit, (text) => this.#meter.contextTokens(text))
    this.#cached = { first, last: this.#last, usual }
    return usual
  }

  #partsOf(first: Piece): ContextParts {
    const { title } = this.#outline
    const isUnder = title !== null && title.at < first.start && first.headings[0] !== title.text
    const context: ChunkContext = {
      title: isUnder ? title.text : null,
      headings: first.headings,
      caption: first.repeat === '' ? null : first.caption,
    }
    const lead = first.rowStart === -1 ? '' : leadOfRow(this.#text, [first.rowStart, first.start])
    return { ...context, repeat: first.repeat, lead, overlap: this.#overlapBefore(first) }
  }

  #overlapBefore(first: Piece): string {
    const before = this.#last?.pieces
    if (this.#options.overlap === 0 || before === undefined) return ''
    return overlapOf(this.#text, before, first, (text) => this.#meter.contextTokens(text) <= this.#options.overlap)
  }
}

/** A figure is cited by its box and a page as a page: they take in no other text. */
const isAlone = ({ own }: Piece): boolean => own !== null && own.kind !== 'table'

const isText = ({ own, kind, oversize, headings }: Piece, below: readonly string[]): boolean =>
  own === null && kind !== 'heading' && !oversize && headings.join('\n') === below.join('\n')

const emptyGroup = (): Group => ({ pieces: [], size: 0, reserve: 0 })

export function openMeter(text: string, counter: TokenCounter, limit: number): WordMeter {
  const { words = null, overhead } = counter
  if (words === null || !words.suits(text)) return new WholeMeter(text, counter, limit)
  return new WordMeter(text, words, { limit, overhead })
}
