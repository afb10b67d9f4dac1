import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { DocumentJob, Suspicion } from '#src/ports/queue.ts'

/** So many different documents in a row that meet the same refusal show that all would. */
const HALTING_DOCUMENTS = 5

/** How often a suspect asks whether it is the turn of the suspects; more for each further one. */
const WAIT_MS = 1_000
const WAIT_EACH_MS = 20
const LONGEST_WAIT_MS = 30_000

export type Refusal = Pick<Extract<Verdict, { kind: 'refused' }>, 'cause' | 'failure' | 'unusable'>

/** `suspect`: it is not known yet whose the refusal is. `attempt`: the document comes again, and has used an attempt. */
export type Ruling = 'document' | 'batch' | 'suspect' | 'attempt'

type Refused = Pick<DocumentJob, 'key' | 'version'>

interface Met {
  readonly suspicion?: Suspicion | undefined
  /** The failure that the document ended with in an earlier run. */
  readonly before: Failure | null
  /** Whether this process may conclude anything from a run in which no document gets through. */
  readonly endsAlone: boolean
}

/**
 * Whether a refusal is one document's own or every document's, inferred from how the documents of this process fare.
 *
 * - A refused document is a suspect: pending, and tried once more when only suspects are left. Refused again, it ends failed where
 *   other documents got through, and else the run halts: all would be refused.
 * - The fifth different document in a row that meets the same refusal halts the batch. Any document that gets through
 *   begins the count anew, and so does another refusal. None of the five ends failed.
 * - A suspect, and a document that ended failed by the same refusal, says nothing new when it meets it again, so that a list
 *   that was halted goes on when it is run again. What a suspect met is kept with its job.
 */
export class Refusals {
  #name = ''
  readonly #inRow = new Set<SourceKey>()
  /** Jobs, by key and version: a document that changed may have two. */
  readonly #suspects = new Set<string>()
  /** Refusals that documents met in a run in which others got through: they are the documents' own. */
  readonly #own = new Set<string>()
  /** Bodies of successes that cannot be used, with the document that met each; null for several. */
  readonly #unusable = new Map<string, SourceKey | null>()
  #gotThrough = false
  #first: Refusal | null = null

  /** The service did its work on a document, or refused one for what is in it. */
  gotThrough(): void {
    this.#gotThrough = true
    this.#inRow.clear()
  }

  /** Milliseconds until a suspect asks again, while `backlog` has other documents or more may come; null when it is its turn. */
  waitMs(job: Refused, { name, gotThrough }: Suspicion, backlog: number, moreCome: boolean): number | null {
    this.#suspects.add(idOf(job))
    if (gotThrough) this.#own.add(name)
    return moreCome || backlog > this.#suspects.size ? this.#patienceMs() : null
  }

  ruling(job: Refused, refusal: Refusal, { suspicion, before, endsAlone }: Met): Ruling {
    const { key } = job
    const name = nameOf(refusal.failure)
    this.#first ??= refusal
    this.#noteBody(key, refusal)
    const isKnown = before !== null && nameOf(before) === name
    if (suspicion?.name !== name && !isKnown) return this.#suspect(job, name)
    if (!isKnown && !this.#gotThrough && !this.#own.has(name)) {
      return endsAlone ? 'batch' : 'suspect'
    }
    this.#own.add(name)
    // Another body each time: a further attempt may bring a whole answer.
    if (refusal.unusable !== undefined && refusal.unusable !== suspicion?.body) return 'attempt'
    this.#suspects.delete(idOf(job))
    return 'document'
  }

  #suspect(job: Refused, name: string): Ruling {
    if (name !== this.#name) this.#inRow.clear()
    this.#name = name
    this.#inRow.add(job.key)
    this.#suspects.add(idOf(job))
    return this.#inRow.size >= HALTING_DOCUMENTS ? 'batch' : 'suspect'
  }

  #noteBody(key: SourceKey, { unusable }: Refusal): void {
    if (unusable === undefined) return
    const known = this.#unusable.get(unusable)
    this.#unusable.set(unusable, known === undefined || known === key ? key : null)
  }

  suspicionOf({ failure, unusable }: Refusal): Suspicion {
    const body = unusable === undefined ? {} : { body: unusable }
    return { name: nameOf(failure), ...body, gotThrough: this.#gotThrough }
  }

  /** As a suspect carries on, it takes along that others got through meanwhile. */
  carriedOn(suspicion: Suspicion): Suspicion {
    return this.#gotThrough ? { ...suspicion, gotThrough: true } : suspicion
  }

  /** Whether the same body came for this document alone, so that another request would only buy it again. */
  isOnlyOf(key: SourceKey, { unusable }: Refusal): boolean {
    return unusable !== undefined && this.#unusable.get(unusable) === key
  }

  /** The refusal of a run in which documents were refused and none got through; else null. */
  nothingGotThrough(): Refusal | null {
    return this.#gotThrough ? null : this.#first
  }

  #patienceMs(): number {
    return Math.min(WAIT_MS + this.#suspects.size * WAIT_EACH_MS, LONGEST_WAIT_MS)
  }
}

const idOf = ({ key, version }: Refused): string => `${version} ${key}`

const nameOf = ({ code, httpStatus, serviceCode }: Failure): string =>
  `${code} ${httpStatus ?? ''} ${serviceCode ?? ''}`
