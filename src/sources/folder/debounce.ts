import type { SourceKey, Version } from '#src/document/ids.ts'

/** Delay between an event and the read of its file, so that a burst of writes costs one read. */
const CHECK_AFTER_MS = 200

interface Waiting {
  /** Result of the last read; `gone` is a state, too. Undefined before the first read. */
  state: Version | 'gone' | undefined
  /** Start of this state. */
  since: number
  checkAt: number
}

/**
 * Debounces changes of files. A file is stable if two reads at least `stableMs` apart find the same state, or find it
 * gone, without another state between. Half-written files and the gap of a replacement are therefore never stable.
 * Times are of the monotonic clock.
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

  /** Registers a possible change of the file. */
  touch(key: SourceKey, now: number): void {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) this.#waiting.set(key, { state: undefined, since: now, checkAt: now + CHECK_AFTER_MS })
    else waiting.checkAt = Math.min(waiting.checkAt, now + CHECK_AFTER_MS)
  }

  /** Returns files to read now, at most `most`. */
  due(now: number, most: number): readonly SourceKey[] {
    const keys: SourceKey[] = []
    for (const [key, { checkAt }] of this.#waiting) {
      if (checkAt <= now) keys.push(key)
      if (keys.length === most) break
    }
    return keys
  }

  /** Takes the result of a read. Returns true if the file is stable, and then forgets it. */
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
