import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { DocumentJob, Suspicion } from '#src/ports/queue.ts'

/** Threshold: after this number of consecutive documents with the same refusal, all would meet it. */
const HALT_THRESHOLD = 5

/** Poll interval of a suspect for its turn, in milliseconds; it grows with the number of suspects. */
const POLL_MS = 1_000
const POLL_MS_PER_SUSPECT = 20
const MAX_POLL_MS = 30_000

export type Refusal = Pick<Extract<Verdict, { kind: 'refused' }>, 'cause' | 'failure' | 'unusable'>

/** `suspect`: the scope of the refusal is still unknown. `attempt`: the document returns, and has used an attempt. */
export type Ruling = 'document' | 'batch' | 'suspect' | 'attempt'

type Refused = Pick<DocumentJob, 'key' | 'version'>

interface RefusalContext {
  readonly suspicion?: Suspicion | undefined
  /** Failure of the document in an earlier run. */
  readonly before: Failure | null
  /** True if this process may draw conclusions from a run without any success. */
  readonly endsAlone: boolean
}

/**
 * Infers from the outcomes of this process's documents if a refusal concerns one document or all of them.
 *
 * - A refused document is a suspect: pending, with one retry once only suspects are left. After a second refusal it
 *   fails if other documents succeeded. Otherwise the run halts, because the service would refuse all.
 * - The fifth consecutive document with the same refusal halts the batch. Any success restarts the count, and so does
 *   another refusal. None of the five fails.
 * - A suspect, or a document that failed by the same refusal before, adds no evidence with that refusal. A halted list
 *   thus continues when it runs again. The job stores the refusal of a suspect.
 */
export class Refusals {
  #name = ''
  readonly #consecutive = new Set<SourceKey>()
  /** Jobs, by key and version: a changed document may have two. */
  readonly #suspects = new Set<string>()
  /** Refusals in a run in which other documents succeeded: they are the documents' own. */
  readonly #own = new Set<string>()
  /** Bodies of unusable successes, with the document that met each; null for several. */
  readonly #unusable = new Map<string, SourceKey | null>()
  #hasSucceeded = false
  #first: Refusal | null = null

  /** The service parsed a document, or refused one for its content. */
  recordSuccess(): void {
    this.#hasSucceeded = true
    this.#consecutive.clear()
  }

  /**
   * Milliseconds until a suspect's next poll, while `backlog` has other documents or more may follow; null at its turn.
   */
  suspectWaitMs(job: Refused, { name, gotThrough }: Suspicion, backlog: number, moreCome: boolean): number | null {
    this.#suspects.add(idOf(job))
    if (gotThrough) this.#own.add(name)
    return moreCome || backlog > this.#suspects.size ? this.#pollMs() : null
  }

  rule(job: Refused, refusal: Refusal, { suspicion, before, endsAlone }: RefusalContext): Ruling {
    const { key } = job
    const name = nameOf(refusal.failure)
    this.#first ??= refusal
    this.#recordBody(key, refusal)
    const isKnown = before !== null && nameOf(before) === name
    if (suspicion?.name !== name && !isKnown) return this.#suspect(job, name)
    if (!isKnown && !this.#hasSucceeded && !this.#own.has(name)) {
      return endsAlone ? 'batch' : 'suspect'
    }
    this.#own.add(name)
    // The body differs each time: a retry may bring a complete answer.
    if (refusal.unusable !== undefined && refusal.unusable !== suspicion?.body) return 'attempt'
    this.#suspects.delete(idOf(job))
    return 'document'
  }

  #suspect(job: Refused, name: string): Ruling {
    if (name !== this.#name) this.#consecutive.clear()
    this.#name = name
    this.#consecutive.add(job.key)
    this.#suspects.add(idOf(job))
    return this.#consecutive.size >= HALT_THRESHOLD ? 'batch' : 'suspect'
  }

  #recordBody(key: SourceKey, { unusable }: Refusal): void {
    if (unusable === undefined) return
    const known = this.#unusable.get(unusable)
    this.#unusable.set(unusable, known === undefined || known === key ? key : null)
  }

  suspicionOf({ failure, unusable }: Refusal): Suspicion {
    const body = unusable === undefined ? {} : { body: unusable }
    return { name: nameOf(failure), ...body, gotThrough: this.#hasSucceeded }
  }

  /** Marks a continued suspect if other documents have succeeded since. */
  updatedSuspicion(suspicion: Suspicion): Suspicion {
    return this.#hasSucceeded ? { ...suspicion, gotThrough: true } : suspicion
  }

  /** True if only this document got this body, so that another request would buy it again. */
  isBodyUnique(key: SourceKey, { unusable }: Refusal): boolean {
    return unusable !== undefined && this.#unusable.get(unusable) === key
  }

  /** Refusal of a run in which documents were refused and none succeeded; otherwise null. */
  refusalWithoutSuccess(): Refusal | null {
    return this.#hasSucceeded ? null : this.#first
  }

  #pollMs(): number {
    return Math.min(POLL_MS + this.#suspects.size * POLL_MS_PER_SUSPECT, MAX_POLL_MS)
  }
}

const idOf = ({ key, version }: Refused): string => `${version} ${key}`

const nameOf = ({ code, httpStatus, serviceCode }: Failure): string =>
  `${code} ${httpStatus ?? ''} ${serviceCode ?? ''}`
