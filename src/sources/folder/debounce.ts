import type { SourceKey, Version } from '#src/document/ids.ts'

/** Debounce: how soon after an event a file is read, so that a burst of writes costs one read. */
const CHECK_AFTER_MS = 200

interface Waiting {
  /** What the last read found; `gone` is a state like any other. Undefined before the first read. */
  state: Version | 'gone' | undefined
  /** Since when it has been that. */
  since: number
  checkAt: number
}

/**
 * Debounces changes of files: which of them have come to rest. A file counts when it was the same, or was gone, at two
 * reads at least `stableMs` apart with nothing else seen in between: half-written files, and the moment between the two
 * halves of a replacement, never do. Times are of the monotonic clock.
 */
export class Debounce {
  readonly #stableMs: number
  readonly #waiting = new Map<SourceKey, Waiting>()

  constructor(stableMs: number) {
    this.#stableMs = stableMs
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Something happened to the file, or may have. */
  touch(key: SourceKey, now: number): void {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) this.#waiting.set(key, { state: undefined, since: now, checkAt: now + CHECK_AFTER_MS })
    else waiting.checkAt = Math.min(waiting.checkAt, now + CHECK_AFTER_MS)
  }

  /** Files to read now, `most` of them at the most. */
  due(now: number, most: number): readonly SourceKey[] {
    const keys: SourceKey[] = []
    for (const [key, { checkAt }] of this.#waiting) {
      if (checkAt <= now) keys.push(key)
      if (keys.length === most) break
    }
    return keys
  }

  /** Takes what a read found and says whether the file has come to rest; it is forgotten then. */
  isStable(key: SourceKey, state: Version | 'gone', now: number): boolean {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return false
    if (waiting.state !== state) {
      waiting.state = state
      waiting.since = now
    }
    if (now - waiting.since >= this.#stableMs) return this.#waiting.delete(key)
    waiting.checkAt = waiting.since + this.#stableMs
    return false
  }

  forget(key: SourceKey): void {
    this.#waiting.delete(key)
  }

  clear(): void {
    this.#waiting.clear()
  }
}
