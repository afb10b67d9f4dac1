import type { PII_ENTITIES } from '@sluice/contract'

export type PiiEntity = (typeof PII_ENTITIES)[number]

/** Text that identifies a person: the range [start, end) in UTF-16 units. */
export interface PiiSpan {
  readonly start: number
  readonly end: number
  readonly entity: PiiEntity
}

/** Text to redact at every position, found by a language model. */
export interface PiiTerm {
  readonly text: string
  readonly entity: PiiEntity
}

/** Finds the spans of one entity in a text. They may overlap and are unordered. */
export type PiiFinder = (text: string) => PiiSpan[]

/** Precedence of entities for overlapping spans. The more specific form wins. */
const PRECEDENCE: readonly PiiEntity[] = ['SECRET', 'EMAIL', 'FINANCIAL', 'PHONE', 'LOCATION', 'PERSON']

/** Returns ordered spans without overlap. The more specific span wins, then the longer one. */
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

/** Returns the spans of a kind that do not overlap a longer one. */
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

/** `spans` are ordered and do not overlap. A binary search finds the only candidate. */
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
