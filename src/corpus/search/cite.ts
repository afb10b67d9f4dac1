import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import { receiptsOf } from '#src/document/record.ts'
import type { Documents } from '#src/ports/output-store.ts'

/** A quotation to check. */
export interface Quotation {
  readonly document: string
  /** Quoted text, character by character. */
  readonly text: string
  /** Its range in `document.md`; without it, every occurrence counts as moved. */
  readonly markdownSpan?: readonly [start: number, end: number]
  /** Receipts of the version that was quoted. */
  readonly receipts?: readonly string[]
}

/**
 * - `exact`: the text is in the present document, at its span.
 * - `moved`: it is there at another span, the nearest one.
 * - `other_version`: it is not there, and the document was parsed again since it was quoted.
 * - `absent`: it is not there, or the store has no such document.
 */
export interface CitationCheck {
  readonly kind: 'exact' | 'moved' | 'other_version' | 'absent'
  readonly document: SourceKey
  /** Present range of the text. */
  readonly markdownSpan: readonly [start: number, end: number] | null
  /** Receipts of the present document. */
  readonly receipts: readonly string[]
}

/** Compares a quotation with the present document. */
export async function cite(
  documents: Pick<Documents, 'read' | 'readOutput'>,
  { document, text, markdownSpan, receipts: quoted = [] }: Quotation,
): Promise<CitationCheck> {
  const key = sourceKey(document)
  const record = await documents.read(key)
  const markdown = record === null ? null : await documents.readOutput(key, 'document.md', record)
  const receipts = record === null ? [] : receiptsOf(record).filter((receipt) => receipt !== null)
  const whole = markdown?.toString('utf8') ?? ''
  const start = nearest(whole, text, markdownSpan?.[0] ?? 0)
  if (start === null) {
    const isSame = quoted.length === 0 || quoted.some((receipt) => receipts.some((present) => present === receipt))
    return { kind: record === null || isSame ? 'absent' : 'other_version', document: key, markdownSpan: null, receipts }
  }
  const kind = markdownSpan?.[0] === start ? 'exact' : 'moved'
  return { kind, document: key, markdownSpan: [start, start + text.length], receipts }
}

/** Start of the occurrence nearest to an offset; null without one. */
function nearest(whole: string, text: string, near: number): number | null {
  if (text === '') return null
  const [before, after] = [whole.lastIndexOf(text, near), whole.indexOf(text, near)]
  if (before === -1 || after === -1) return before === after ? null : Math.max(before, after)
  return near - before < after - near ? before : after
}
