import { invariant } from './invariant.ts'

interface OwnPermit {
  readonly number: number
  /** By Redis's clock; null until Redis grants it. */
  sentAt: number | null
  isReleasing: boolean
}

/**
 * The permits of one process. Redis may lose them, or restore a snapshot with permits that were released since. The
 * process is the source of truth and sends a declaration.
 *
 * | state | entered | left |
 * | --- | --- | --- |
 * | asked | before `acquire` is sent | it is granted; or it is refused, and forgotten |
 * | held | its permit arrived | `release` is sent |
 * | releasing | before `release` is sent | its reply arrived, and it is forgotten |
 *
 * Redis runs the scripts of one process in the order of sending. A declaration therefore names held permits only: the
 * script of any other permit is still on its way.
 */
export class OwnPermits {
  readonly #permits = new Map<string, OwnPermit>()
  readonly #process: string
  #last = 0

  constructor(process: string) {
    this.#process = process
  }

  /** Registers a new id, before the process sends its request. */
  register(): string {
    this.#last += 1
    const id = `${this.#process}-${this.#last}`
    this.#permits.set(id, { number: this.#last, sentAt: null, isReleasing: false })
    return id
  }

  recordGrant(id: string, sentAt: number): void {
    const permit = this.#permits.get(id)
    if (permit !== undefined) permit.sentAt = sentAt
  }

  /**
   * Registers a release, before the process sends it. A permit is released once: a second release would free a place
   * that another request has by now. Throws before the second one is sent.
   */
  recordRelease(id: string): void {
    const permit = this.#permits.get(id)
    invariant(permit !== undefined && !permit.isReleasing, 'a permit is released once', { permit: id })
    permit.isReleasing = true
  }

  /**
   * Forgets a refused or released permit. A request whose reply was lost stays registered, and the declaration calls it
   * neither held nor free.
   */
  forget(id: string): void {
    this.#permits.delete(id)
  }

  /**
   * Builds this process's declaration: permits that it holds; permits that it may hold; every other one up to `upTo` is
   * free.
   */
  declaration() {
    const held = [...this.#permits].flatMap(([id, { sentAt, isReleasing }]) =>
      sentAt === null || isReleasing ? [] : [{ id, sentAt }],
    )
    return { held, known: [...this.#permits.keys()], upTo: this.#last }
  }
}
