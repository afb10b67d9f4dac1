import type { PII_ENTITIES } from '@sluice/contract'

export type PiiEntity = (typeof PII_ENTITIES)[number]

/** A piece of text that identifies a person: [start, end) in UTF-16 units. */
export interface PiiSpan {
  readonly start: number
  readonly end: number
  readonly entity: PiiEntity
}

/** A piece of text that is to be hidden wherever it stands: what a language model found in the document. */
export interface PiiTerm {
  readonly text: string
  readonly entity: PiiEntity
}

/** Finds the spans of one entity in a text; they may overlap and are in no order. */
export type PiiFinder = (text: string) => PiiSpan[]

/** What a span is when several finders claim it: the more specific form wins. */
const PRECEDENCE: readonly PiiEntity[] = ['SECRET', 'EMAIL', 'FINANCIAL', 'PHONE', 'LOCATION', 'PERSON']

/** Spans in order, none overlapping: of two that overlap the more specific stays, of the same kind the longer one. */
export function settleOverlaps(spans: readonly PiiSpan[]): PiiSpan[] {
  const byWeight = [...spans].sort(
    (a, b) => rank(a) - rank(b) || b.end - b.start - (a.end - a.start) || a.start - b.start,
  )
  const byStart = (a: PiiSpan, b: PiiSpan): number => a.start - b.start
  const settled: PiiSpan[] = []
  for (const entity of PRECEDENCE) {
    const taken = [...settled].sort(byStart)
    const free = byWeight.filter((span) => span.entity === entity && !overlapsAny(span, taken))
    for (const span of withoutOverlap(free)) settled.push(span)
  }
  return settled.sort(byStart)
}

function rank(span: PiiSpan): number {
  return PRECEDENCE.indexOf(span.entity)
}

/** Of spans of one kind, longest first, those that do not overlap a longer one. */
function withoutOverlap(spans: readonly PiiSpan[]): PiiSpan[] {
  const inOrder = [...spans].sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: PiiSpan[] = []
  for (const span of inOrder) {
    const last = kept.at(-1)
    if (last === undefined || span.start >= last.end) kept.push(span)
    else if (span.end - span.start > last.end - last.start) kept[kept.length - 1] = span
  }
  return kept
}

/** `spans` are in order and do not overlap each other: a binary search finds the only one that could be met. */
export function overlapsAny(
  span: { readonly start: number; readonly end: number },
  spans: readonly { readonly start: number; readonly end: number }[],
): boolean {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.end ?? 0) <= span.start) low = middle + 1
    else high = middle
  }
  const next = spans[low]
  return next !== undefined && next.start < span.end
}
