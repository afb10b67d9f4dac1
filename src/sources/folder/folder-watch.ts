import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { lastChangeMs } from './file-version.ts'
import { type FolderEvents, watchFolderEvents } from './folder-events.ts'
import { nameRules } from '../path-rules.ts'
import { inspectPath } from './inspect-path.ts'
import { type FolderSourceOptions, identities } from './folder-source.ts'
import type { VisitRules } from './folder-visit.ts'
import { walk } from './folder-walk.ts'
import { Debounce } from './debounce.ts'

export interface FolderWatchOptions extends FolderSourceOptions {
  /** Debounce time: a file must stay unchanged for this long. Default 2,000. */
  readonly stableMs?: number
  /** Interval between full scans, which find changes that events missed. Default 300,000; with `poll` 10,000. */
  readonly rescanMs?: number
  /** Scans alone, for network mounts, which report no events, and for trees too big to watch. */
  readonly poll?: boolean
}

const TICK_MS = 100
const BATCH = 500

/** Maximum number of files in the debounce. The next scan finds the others, so memory is bounded. */
const MAX_WAITING = 100_000

/**
 * Watches a folder. Events only name paths; the watch reports files that it has read, unchanged for `stableMs`. A
 * change is reported within `stableMs` + 1 s.
 */
export function watchFolder(options: FolderWatchOptions): SourceWatch {
  let watch = new FolderWatch(options)
  return {
    changes: (signal, onListed) => {
      watch = new FolderWatch(options)
      return watch.run(signal, onListed)
    },
    rescan: () => watch.rescan(),
  }
}

class FolderWatch {
  readonly #options: FolderWatchOptions
  readonly #root: string
  readonly #stableMs: number
  readonly #debounce: Debounce
  #scanAt = 0
  /** Number of scans that callers requested. */
  #asked = 0

  constructor(options: FolderWatchOptions) {
    this.#options = options
    this.#root = resolve(options.path)
    this.#stableMs = options.stableMs ?? 2000
    this.#debounce = new Debounce(this.#stableMs)
  }

  async *run(signal: AbortSignal, onListed?: () => void): AsyncGenerator<readonly SourceChange[]> {
    await using events = await this.#listen()
    while (!signal.aborted) {
      const rules = await this.#rules()
      if (performance.now() >= this.#scanAt) {
        const asked = this.#asked
        yield* this.#scan(rules, signal)
        onListed?.()
        // A request arrived during this scan: the next one reports its items again.
        this.#scanAt = asked === this.#asked ? performance.now() + this.#rescanMs(events) : 0
      }
      yield* this.#settled(rules)
      await sleep(TICK_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  rescan(): void {
    this.#asked += 1
    this.#scanAt = 0
  }

  async #listen(): Promise<FolderEvents> {
    const { poll = false, followSymlinks = false, skipFolders = [] } = this.#options
    if (poll) return { incomplete: false, async [Symbol.asyncDispose]() {} }
    const names = nameRules(this.#options)
    const skipped = skipFolders.map((folder) => resolve(folder))
    return watchFolderEvents({ root: this.#root, followSymlinks, names, skipFolders: skipped }, (key) =>
      this.#touch(key),
    )
  }

  #rescanMs(events: FolderEvents): number {
    const wanted = this.#options.rescanMs ?? (this.#options.poll === true ? 10_000 : 300_000)
    return events.incomplete ? Math.min(wanted, 10_000) : wanted
  }

  #touch(key: string): void {
    this.#debounce.touch(sourceKey(key), performance.now())
    if (this.#debounce.size <= MAX_WAITING) return
    this.#debounce.clear()
    this.#scanAt = performance.now() + this.#stableMs
  }

  async #rules(): Promise<VisitRules> {
    const { followSymlinks = false, skipFolders = [] } = this.#options
    return { names: nameRules(this.#options), followSymlinks, closed: await identities(skipFolders) }
  }

  /** Scans everything. Recently changed files go through the debounce, older ones are stable. */
  async *#scan(rules: VisitRules, signal: AbortSignal): AsyncGenerator<readonly SourceChange[]> {
    let batch: SourceChange[] = []
    for await (const items of walk(this.#root, rules, signal)) {
      for (const item of items) {
        if (item.kind === 'document' && Date.now() - lastChangeMs(item.version) < this.#stableMs) this.#touch(item.key)
        else batch.push(item)
      }
      if (batch.length < BATCH) continue
      yield batch
      batch = []
      yield* this.#settled(rules)
    }
    if (batch.length > 0) yield batch
  }

  /** Yields files that became stable since the last call. */
  async *#settled(rules: VisitRules): AsyncGenerator<readonly SourceChange[]> {
    for (;;) {
      const keys = this.#debounce.due(performance.now(), BATCH)
      if (keys.length === 0) return
      const found = await Promise.all(keys.map((key) => inspectPath(this.#root, key, rules)))
      const changes = keys.map((key, at) => this.#judge(key, found[at] ?? null)).filter((change) => change !== null)
      if (changes.length > 0) yield changes
    }
  }

  /** Null while the file is unstable, and for a path outside the source. */
  #judge(key: SourceKey, seen: SourceItem | 'gone' | null): SourceChange | null {
    const now = performance.now()
    if (seen === 'gone') return this.#debounce.isStable(key, 'gone', now) ? { kind: 'gone', key } : null
    if (seen?.kind === 'document') return this.#debounce.isStable(key, seen.version, now) ? seen : null
    this.#debounce.forget(key)
    return seen
  }
}
