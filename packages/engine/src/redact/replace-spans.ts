import type { RedactionOptions } from '@sluice/contract'
import type { PiiSpan } from './pii-span.ts'

type ReplaceStyle = RedactionOptions['replaceStyle']

/** Replaces every span in the given style (contract, "Redaction object"). Requires ordered spans without overlap. */
export function replaceSpans(text: string, spans: readonly PiiSpan[], style: ReplaceStyle): string {
  const parts: string[] = []
  let from = 0
  for (const span of spans) {
    parts.push(text.slice(from, span.start), replacement(span, style))
    from = span.end
  }
  return parts.join('') + text.slice(from)
}

function replacement({ entity, start, end }: PiiSpan, style: ReplaceStyle): string {
  if (style === 'tag') return `<${entity}>`
  return style === 'mask' ? '*'.repeat(end - start) : ''
}

/** Maps an offset of the original text to the redacted text. */
export class OffsetMap {
  readonly #spans: readonly PiiSpan[]
  /** Shift of the text after the span with the same index. */
  readonly #shifts: readonly number[]

  constructor(spans: readonly PiiSpan[], style: ReplaceStyle) {
    this.#spans = spans
    let shift = 0
    this.#shifts = spans.map((span) => (shift += replacement(span, style).length - (span.end - span.start)))
  }

  /** Returns [start, end) after the redaction. Null if an end is inside a replaced span. */
  mapRange([start, end]: readonly [number, number]): [number, number] | null {
    const [from, to] = [this.#map(start), this.#map(end)]
    return from === null || to === null ? null : [from, to]
  }

  #map(offset: number): number | null {
    let [low, high] = [0, this.#spans.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#spans[middle]?.end ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    const next = this.#spans[low]
    return next !== undefined && next.start < offset ? null : offset + (this.#shifts[low - 1] ?? 0)
  }
}
