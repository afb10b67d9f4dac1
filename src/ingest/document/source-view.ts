import type { SourceKey, Version } from '#src/document/ids.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { Source } from '#src/ports/source.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import type { KeySet } from '#src/kit/key-set.ts'

/**
 * What this process may conclude from a document that the queue names and its source does not show.
 *
 * - `takes`: it takes jobs that other processes list. It concludes nothing.
 * - `lists`: it lists the source. `listed` is null until the listing has ended. A document of that listing vanished; any
 *   other is the sweep's, which has a safety limit.
 *   With `retries` it lists failures that are to be tried again, whatever the rules on names are now.
 * - `follows`: it follows the source for good. The document vanished; but an inbox may be empty, and it waits then.
 */
export type Role =
  | { readonly kind: 'takes' }
  | { readonly kind: 'lists'; readonly listed: Pick<KeySet, 'has'> | null; readonly retries?: true }
  | { readonly kind: 'follows' }

/** Hand the job back: another process, or a later check, decides. */
export interface Handback {
  readonly kind: 'again'
  readonly afterMs: number
  /** Why this process must stop: its source is not what the queue is about. */
  readonly halt: string | null
}

export type Unseen =
  | Handback
  /** The job ends without a record: the ledger waits no more for this version, or the sweep decides. */
  | { readonly kind: 'drop' }
  /** The document was in this source, and is not any more. */
  | { readonly kind: 'vanished' }

interface ViewDeps {
  readonly source: Source
  readonly ledger: Pick<Ledger, 'read'>
}

type QueuedDocument = Pick<DocumentJob, 'key' | 'version'>

/** Checks of one document, and documents missed with none opened between them, before anything is concluded. */
const MISSES = 3

/** Before the next check; doubled with each where another process has to take the job. */
const RECHECK_MS = 500
const LONGEST_WAIT_MS = 8_000

/** Documents whose misses are remembered. */
const REMEMBERED = 10_000

/** Documents of a listing that are compared with the ledger. */
const COMPARED = 500
const BATCH = 100

/** Only a folder can be mounted. What a bucket or a list of URLs shows is the same on every machine. */
const isMounted = ({ url, isPartial }: Source): boolean => url.startsWith('file:') && isPartial !== true

/**
 * Tells a document that vanished from a mount that shows something else. A worker whose mount differs must not fail
 * documents that every other worker sees.
 */
export class SourceView {
  role: Role = { kind: 'takes' }
  readonly #misses = new Map<SourceKey, number>()
  #missedInRow = 0

  /** Whether what the rules of this process leave out is left out though it is in the queue. */
  get obeysRules(): boolean {
    return this.role.kind === 'follows' || (this.role.kind === 'lists' && this.role.retries !== true)
  }

  /**
   * A document of the queue was opened, in this version. Null: it is to be ingested. One that differs from the job's
   * has changed since, or is a document of the same name in another folder that is mounted here.
   */
  async opened(job: QueuedDocument, version: Version, deps: ViewDeps, signal: AbortSignal): Promise<Handback | null> {
    const isExpected = isSame(version, job.version) || this.role.kind !== 'takes' || !isMounted(deps.source)
    if (isExpected || (await showsKnownDocuments(deps, signal))) {
      this.#missedInRow = 0
      return null
    }
    const again = this.#again(this.#countMiss(job.key))
    return this.#missedInRow < MISSES ? again : { ...again, halt: blind(job.key, deps.source) }
  }

  /** A document of the queue is not in the source. */
  async missed({ key, version }: QueuedDocument, deps: ViewDeps, signal: AbortSignal): Promise<Unseen> {
    if (!isMounted(deps.source)) return { kind: 'vanished' }
    const [item] = await deps.ledger.read([key])
    if (item?.outcome !== 'pending' || item.version !== version) return { kind: 'drop' }
    const misses = this.#countMiss(key)
    const again = this.#again(misses)
    if (misses < MISSES && this.#missedInRow < MISSES) return again
    const { role } = this
    if (role.kind === 'lists' && role.listed === null) return again
    if (!(await showsKnownDocuments(deps, signal))) {
      return role.kind === 'follows' ? again : { ...again, halt: blind(key, deps.source) }
    }
    this.#missedInRow = 0
    if (role.kind === 'takes' || misses < MISSES) return again
    this.#misses.delete(key)
    return { kind: role.kind === 'follows' || role.listed?.has(key) === true ? 'vanished' : 'drop' }
  }

  #countMiss(key: SourceKey): number {
    if (this.#misses.size >= REMEMBERED) this.#misses.clear()
    const misses = (this.#misses.get(key) ?? 0) + 1
    this.#misses.set(key, misses)
    this.#missedInRow += 1
    return misses
  }

  /** A process that decides checks again soon. One that does not leaves the job to others for longer and longer. */
  #again(misses: number): Handback {
    const doubled = Math.min(LONGEST_WAIT_MS, RECHECK_MS * 2 ** Math.min(misses, 10))
    return { kind: 'again', afterMs: this.role.kind === 'takes' ? doubled : RECHECK_MS, halt: null }
  }
}

/**
 * Whether the source shows a document that the ledger knows in the same version. Names prove nothing: two archives may
 * share them. An unmounted folder shows none.
 */
async function showsKnownDocuments({ source, ledger }: ViewDeps, signal: AbortSignal): Promise<boolean> {
  let compared = 0
  for await (const batch of batchesOf(source.list(signal), BATCH)) {
    const shown = batch.flatMap((item) => (item.kind === 'document' ? [item] : []))
    const known = await ledger.read(shown.map(({ key }) => key))
    if (shown.some(({ version }, at) => isSame(version, known[at]?.version))) return true
    compared += shown.length
    if (compared >= COMPARED) return false
  }
  return false
}

/** Some network file systems give a file another inode on each machine: size and date of change must do. */
const isSame = (shown: Version, known: Version | undefined): boolean =>
  known !== undefined && withoutInode(shown) === withoutInode(known)

const withoutInode = (version: Version): string => version.replace(/-\d+$/, '')

/** The terminal cuts a long line at its end: what to do comes first. */
const blind = (key: SourceKey, { url }: Source): string =>
  'another folder is mounted here, or none. Mount the source, then start again; the jobs were handed back. ' +
  `${url} shows no document as the ledger knows it (first missed: ${JSON.stringify(key)})`
