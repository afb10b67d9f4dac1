import { invariant } from './invariant.ts'

interface Asked {
  readonly number: number
  /** Redis's clock; null until it is granted. */
  sentAt: number | null
  releasing: boolean
}

/**
 * The permits of one process. Redis may lose them, or be rolled back to a state with permits that were released since; the
 * process knows better, and says so in a declaration.
 *
 * | state | entered | left |
 * | --- | --- | --- |
 * | asked | before `acquire` is sent | it is granted; or it is refused, and forgotten |
 * | held | its permit came | `release` is sent |
 * | releasing | before `release` is sent | its answer came, and it is forgotten |
 *
 * Scripts of one process run in the order in which they were sent, so a declaration names what is held: for all else its
 * own script is still on its way.
 */
export class OwnPermits {
  readonly #permits = new Map<string, Asked>()
  readonly #process: string
  #last = 0

  constructor(process: string) {
    this.#process = process
  }

  /** A new id, from the moment before its question is sent. */
  ask(): string {
    this.#last += 1
    const id = `${this.#process}-${this.#last}`
    this.#permits.set(id, { number: this.#last, sentAt: null, releasing: false })
    return id
  }

  granted(id: string, sentAt: number): void {
    const permit = this.#permits.get(id)
    if (permit !== undefined) permit.sentAt = sentAt
  }

  /**
   * From the moment before its `release` is sent. A permit is released once: a second release would free a place that
   * another request has by now. Throws before the second one is sent.
   */
  releasing(id: string): void {
    const permit = this.#permits.get(id)
    invariant(permit !== undefined && !permit.releasing, 'a permit is released once', { permit: id })
    permit.releasing = true
  }

  /** Refused, or released. Where the answer to its question never came it stays known, and is declared neither held nor free. */
  forget(id: string): void {
    this.#permits.delete(id)
  }

  /** What a process declares of itself: permits that are held; permits that may be; every other one up to `upTo` is free. */
  declaration() {
    const held = [...this.#permits].flatMap(([id, { sentAt, releasing }]) =>
      sentAt === null || releasing ? [] : [{ id, sentAt }],
    )
    return { held, known: [...this.#permits.keys()], upTo: this.#last }
  }
}
