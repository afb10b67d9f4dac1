import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { RefusalCause, Verdict } from '#src/document/verdict.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

/** So many different documents in a row that meet the same refusal show that all would. */
const HALTING_DOCUMENTS = 5

/** A verdict once it is known whose a refusal is. */
export type RuledVerdict = Exclude<Verdict, { kind: 'refused' }>

export interface Refusal {
  readonly cause: RefusalCause
  readonly failure: Failure
}

/**
 * Whether a refusal is one document's own or every document's, inferred from how the documents of this process fare.
 *
 * - A refused document ends failed, and the batch goes on.
 * - The fifth different document in a row that meets the same refusal halts the batch. Any document that gets through
 *   begins the count anew, and so does another refusal.
 * - A document that met the same refusal in an earlier run says nothing new, so that a list that was halted goes on
 *   behind those when it is run again.
 */
export class Refusals {
  #refusal = ''
  readonly #documents = new Set<SourceKey>()
  #gotThrough = false
  #first: Refusal | null = null

  /** The service did its work on a document, or refused one for what is in it. */
  gotThrough(): void {
    this.#gotThrough = true
    this.#documents.clear()
  }

  /** `before`: the failure that the document ended with in an earlier run. */
  ruling(key: SourceKey, refusal: Refusal, before: Failure | null): 'document' | 'batch' {
    const name = nameOf(refusal.failure)
    if (name !== this.#refusal) this.#documents.clear()
    this.#refusal = name
    this.#first ??= refusal
    if (before === null || nameOf(before) !== name) this.#documents.add(key)
    return this.#documents.size >= HALTING_DOCUMENTS ? 'batch' : 'document'
  }

  /** The refusal of a run in which documents were refused and none got through; else null. */
  nothingGotThrough(): Refusal | null {
    return this.#gotThrough ? null : this.#first
  }
}

const nameOf = ({ code, httpStatus, serviceCode }: Failure): string =>
  `${code} ${httpStatus ?? ''} ${serviceCode ?? ''}`

interface RulingDeps {
  readonly refusals: Refusals
  readonly store: Pick<OutputStore, 'readDeadLetter'>
}

/** Rules on a refusal, and hears from every other verdict whether documents get through. */
export async function ruledVerdict(
  verdict: Verdict,
  key: SourceKey,
  { refusals, store }: RulingDeps,
): Promise<RuledVerdict> {
  if (verdict.kind === 'parsed' || verdict.kind === 'rejected') refusals.gotThrough()
  if (verdict.kind !== 'refused') return verdict
  const letter = await store.readDeadLetter(key)
  const { cause, failure } = verdict
  if (refusals.ruling(key, verdict, letter?.failure ?? null) === 'document') {
    return { kind: 'rejected', failure, remedy: { kind: 'none' } }
  }
  return { kind: 'halted', cause, message: failure.message }
}
