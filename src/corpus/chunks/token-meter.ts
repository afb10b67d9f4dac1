import type { Span, TokenCounter } from './chunk.ts'
import { hasLongRun } from './long-runs.ts'
import type { Piece } from './piece.ts'

/** Units of a document a token: nothing longer than so many times the limit is counted before it is split. */
const MOST_UNITS = 16

const LAST_CONTEXTS = 64

/**
 * Counts the tokens of a document, every character once where the tokenizer allows it: the parts of a chunk are counted
 * apart and added up, if each of their borders is a joint.
 */
export class TokenMeter {
  readonly limit: number
  readonly #text: string
  readonly #counter: TokenCounter
  readonly #hasLongRuns: boolean
  readonly #contexts = new Map<string, number>()

  constructor(text: string, counter: TokenCounter, limit: number) {
    this.limit = limit - counter.overhead
    this.#text = text
    this.#counter = counter
    this.#hasLongRuns = hasLongRun(text)
  }

  /** Tokens of a range by itself; infinite for one that must be split whatever it counts. */
  size(start: number, end: number): number {
    if (end - start > this.limit * MOST_UNITS) return Infinity
    const slice = this.#text.slice(start, end)
    if (this.#hasLongRuns && hasLongRun(slice)) return Infinity
    return this.#count(slice)
  }

  context(text: string): number {
    if (text === '') return 0
    const known = this.#contexts.get(text)
    if (known !== undefined) return known
    const tokens = this.#count(text)
    if (this.#contexts.size >= LAST_CONTEXTS) this.#contexts.clear()
    this.#contexts.set(text, tokens)
    return tokens
  }

  /** Exact tokens of context and body. `sizes` are those of the cells of the body's pieces. */
  whole(context: string, pieces: readonly Piece[], cells: readonly Cell[]): number {
    const added = this.#sum(context, pieces, cells)
    if (added !== null) return added + this.#counter.overhead
    const [first, last] = [pieces[0] as Piece, pieces.at(-1) as Piece]
    return this.#counter.count(context + this.#text.slice(first.start, last.end))
  }

  /** Null where they do not add up, or it is not known. */
  #sum(context: string, pieces: readonly Piece[], cells: readonly Cell[]): number | null {
    const { isJoint } = this.#counter
    const [first, last] = [pieces[0], pieces.at(-1)]
    if (isJoint === null || first === undefined || last === undefined) return null
    const text = this.#text
    if (context !== '' && !isJoint(context + text.slice(first.start, first.start + 64), context.length)) return null
    let tokens = this.context(context)
    let [head, tail]: [Span, Span] = [
      [0, 0],
      [0, 0],
    ]
    for (const [index, { span, size }] of cells.entries()) {
      if (index === 0) head = span
      else if (span[0] !== tail[1] || !isJoint(text, span[0])) return null
      tail = span
      tokens += size
    }
    const correction = this.#correction(first.start, head, last.end, tail)
    return correction === null ? null : tokens + correction
  }

  /** What the white space around the body counts for: the word beside it is counted with and without. */
  #correction(start: number, head: Span, end: number, tail: Span): number | null {
    const upTo = head[0] < start ? this.#jointAfter(start, Math.min(head[1], end)) : start
    const from = end < tail[1] ? this.#jointBefore(end, Math.max(tail[0], start)) : end
    // One word that has white space on both sides.
    if (from < upTo) return null
    let tokens = 0
    if (head[0] < start) {
      tokens += this.#count(this.#text.slice(start, upTo)) - this.#count(this.#text.slice(head[0], upTo))
    }
    if (end < tail[1]) {
      tokens += this.#count(this.#text.slice(from, end)) - this.#count(this.#text.slice(from, tail[1]))
    }
    return tokens
  }

  #jointAfter(start: number, end: number): number {
    const isJoint = this.#counter.isJoint as (text: string, at: number) => boolean
    for (let at = start + 1; at < end; at++) if (isJoint(this.#text, at)) return at
    return end
  }

  #jointBefore(end: number, start: number): number {
    const isJoint = this.#counter.isJoint as (text: string, at: number) => boolean
    for (let at = end - 1; at > start; at--) if (isJoint(this.#text, at)) return at
    return start
  }

  #count(text: string): number {
    return this.#counter.count(text) - this.#counter.overhead
  }
}

/** A piece with the white space that is counted with it. */
export interface Cell {
  readonly span: Span
  readonly size: number
}

/** More white space than this is never counted: a chunk ends there. */
export const WIDE_GAP = 256

/** A cell begins and ends behind a line break, else before the one space. */
export function cellSpan(text: string, { start, end }: Piece): Span {
  let next = end
  let newline = -1
  for (; next < text.length && next - end <= WIDE_GAP && WHITE.test(text[next] ?? ''); next++) {
    if (text[next] === '\n') newline = next
  }
  if (next - end > WIDE_GAP) return [cutBefore(text, start), end]
  const cut = newline === -1 ? cutBefore(text, next) : newline + 1
  return [cutBefore(text, start), Math.max(cut, end)]
}

const WHITE = /\s/

function cutBefore(text: string, at: number): number {
  return at > 1 && text[at - 1] === ' ' && !WHITE.test(text[at - 2] ?? '') ? at - 1 : at
}
