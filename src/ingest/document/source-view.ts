import type { SourceKey, Version } from '#src/document/ids.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { Source } from '#src/ports/source.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import type { KeySet } from '#src/kit/key-set.ts'

/**
 * Role of this process, which limits its conclusions from a queued document that its source does not show.
 *
 * - `takes`: it takes jobs that other processes list. It concludes nothing.
 * - `lists`: it lists the source. `listed` is null until the listing has ended. A document of that listing vanished;
 *   any other belongs to the sweep, which has a safety limit. With `retries` it lists failures for a retry, and ignores
 *   the present rules on names.
 * - `follows`: it follows the source permanently. The document vanished; but an inbox may be empty, and it waits then.
 */
export type Role =
  | { readonly kind: 'takes' }
  | { readonly kind: 'lists'; readonly listed: Pick<KeySet, 'has'> | null; readonly retries?: true }
  | { readonly kind: 'follows' }

/** Return the job: another process, or a later check, decides. */
export interface Handback {
  readonly kind: 'again'
  readonly afterMs: number
  /** Reason to stop this process: its source is not that of the queue. */
  readonly halt: string | null
}

export type MissingVerdict =
  | Handback
  /** The job ends without a record: the ledger no longer expects this version, or the sweep decides. */
  | { readonly kind: 'drop' }
  /** The document was in this source, and is now gone. */
  | { readonly kind: 'vanished' }

interface ViewDeps {
  readonly source: Source
  readonly ledger: Pick<Ledger, 'read'>
}

type QueuedDocument = Pick<DocumentJob, 'key' | 'version'>

/** Threshold before any conclusion: checks of one document, and consecutive misses without an opened document. */
const MISS_THRESHOLD = 3

/** Delay before the next check, in milliseconds. It doubles with each one if another process must take the job. */
const RECHECK_MS = 500
const MAX_RECHECK_MS = 8_000

/** Maximum number of documents with remembered misses. */
const MAX_REMEMBERED = 10_000

/** Number of listed documents to compare with the ledger. */
const MAX_COMPARED = 500
const BATCH = 100

/** Only a folder can be mounted. A bucket or a list of URLs is the same on every machine. */
const isMounted = ({ url, isPartial }: Source): boolean => url.startsWith('file:') && isPartial !== true

/**
 * Distinguishes a vanished document from a mount with other content. A worker with a different mount must not fail
 * documents that every other worker sees.
 */
export class SourceView {
  role: Role = { kind: 'takes' }
  readonly #misses = new Map<SourceKey, number>()
  #consecutiveMisses = 0

  /** True if this process skips a queued document that its rules exclude. */
  get obeysRules(): boolean {
    return this.role.kind === 'follows' || (this.role.kind === 'lists' && this.role.retries !== true)
  }

  /**
   * A queued document was opened, in this version. Null: the worker ingests it. If the version differs from the job's,
   * the document has changed, or another folder with the same name is mounted here.
   */
  async checkOpened(
    job: QueuedDocument,
    version: Version,
    deps: ViewDeps,
    signal: AbortSignal,
  ): Promise<Handback | null> {
    const isExpected = isSame(version, job.version) || this.role.kind !== 'takes' || !isMounted(deps.source)
    if (isExpected || (await showsKnownDocuments(deps, signal))) {
      this.#consecutiveMisses = 0
      return null
    }
    const again = this.#handBack(this.#countMiss(job.key))
    return this.#consecutiveMisses < MISS_THRESHOLD
      ? again
      : { ...again, halt: wrongMountMessage(job.key, deps.source) }
  }

  /** A queued document is not in the source. */
  async checkMissing({ key, version }: QueuedDocument, deps: ViewDeps, signal: AbortSignal): Promise<MissingVerdict> {
    if (!isMounted(deps.source)) return { kind: 'vanished' }
    const [item] = await deps.ledger.read([key])
    if (item?.outcome !== 'pending' || item.version !== version) return { kind: 'drop' }
    const misses = this.#countMiss(key)
    const again = this.#handBack(misses)
    if (misses < MISS_THRESHOLD && this.#consecutiveMisses < MISS_THRESHOLD) return again
    const { role } = this
    if (role.kind === 'lists' && role.listed === null) return again
    if (!(await showsKnownDocuments(deps, signal))) {
      return role.kind === 'follows' ? again : { ...again, halt: wrongMountMessage(key, deps.source) }
    }
    this.#consecutiveMisses = 0
    if (role.kind === 'takes' || misses < MISS_THRESHOLD) return again
    this.#misses.delete(key)
    return { kind: role.kind === 'follows' || role.listed?.has(key) === true ? 'vanished' : 'drop' }
  }

  #countMiss(key: SourceKey): number {
    if (this.#misses.size >= MAX_REMEMBERED) this.#misses.clear()
    const misses = (this.#misses.get(key) ?? 0) + 1
    this.#misses.set(key, misses)
    this.#consecutiveMisses += 1
    return misses
  }

  /**
   * Returns the job. A process that decides checks again soon. Any other leaves the job to others, with exponential
   * backoff.
   */
  #handBack(misses: number): Handback {
    const doubled = Math.min(MAX_RECHECK_MS, RECHECK_MS * 2 ** Math.min(misses, 10))
    return { kind: 'again', afterMs: this.role.kind === 'takes' ? doubled : RECHECK_MS, halt: null }
  }
}

/**
 * True if the source shows a document of the ledger in the same version. Names prove nothing: two archives may share
 * them. An unmounted folder shows none.
 */
async function showsKnownDocuments({ source, ledger }: ViewDeps, signal: AbortSignal): Promise<boolean> {
  let compared = 0
  for await (const batch of batchesOf(source.list(signal), BATCH)) {
    const shown = batch.flatMap((item) => (item.kind === 'document' ? [item] : []))
    const known = await ledger.read(shown.map(({ key }) => key))
    if (shown.some(({ version }, at) => isSame(version, known[at]?.version))) return true
    compared += shown.length
    if (compared >= MAX_COMPARED) return false
  }
  return false
}

/** Some network file systems give a file another inode on each machine, so size and mtime decide. */
const isSame = (shown: Version, known: Version | undefined): boolean =>
  known !== undefined && withoutInode(shown) === withoutInode(known)

const withoutInode = (version: Version): string => version.replace(/-\d+$/, '')

/** The terminal cuts off a long line, so the remedy is first. */
const wrongMountMessage = (key: SourceKey, { url }: Source): string =>
  'another folder is mounted at the source, or none. Mount the source, then start again; its documents are back in the queue. ' +
  `${url} holds none of the document versions in the ledger (first missing: ${JSON.stringify(key)})`
