import type { Permit } from './admission.ts'
import { invariant } from './invariant.ts'

interface Asked {
  /** Redis's clock; null until it is admitted. */
  enteredAt: number | null
  leaving: boolean
}

/** What a process declares of itself, as declare.lua takes it. */
export interface Declaration {
  /** Permits that are in flight, whatever Redis remembers. */
  readonly held: readonly { readonly id: string; readonly enteredAt: number }[]
  /** Permits of this process that may be in flight; every other one up to the number `upTo` is not. */
  readonly known: readonly string[]
  readonly upTo: number
}

/**
 * The permits of one process. Redis may lose them, or be rolled back to a state with permits that were released since;
 * the process knows better, and says so in a declaration.
 *
 * A permit goes through: asked → admitted → leaving → gone. Scripts of one process run in the order in which they were
 * sent, so a declaration names as `held` what is admitted and not leaving: whatever is still on its way is settled by
 * its own script.
 */
export class OwnPermits {
  readonly #permits = new Map<string, Asked>()
  readonly #process: string
  #last = 0

  constructor(process: string) {
    this.#process = process
  }

  /** A new id, from the moment before its `enter` is sent. */
  ask(): string {
    this.#last += 1
    const id = `${this.#process}-${this.#last}`
    this.#permits.set(id, { enteredAt: null, leaving: false })
    return id
  }

  admitted(id: string, enteredAt: number): void {
    const permit = this.#permits.get(id)
    if (permit !== undefined) permit.enteredAt = enteredAt
  }

  /** Not admitted, or the answer of `leave` came. Without an answer it stays asked: declared neither held nor free. */
  gone(id: string): void {
    this.#permits.delete(id)
  }

  /**
   * From the moment before its `leave` is sent. A permit is released once: a second release would free a place that
   * another request has by now. Throws before the second one is sent.
   */
  leaving({ id }: Pick<Permit, 'id'>): void {
    const permit = this.#permits.get(id)
    invariant(permit !== undefined && !permit.leaving, 'a permit is released once', { permit: id })
    permit.leaving = true
  }

  declaration(): Declaration {
    const permits = [...this.#permits].map(([id, permit]) => ({ id, ...permit }))
    const held = permits.flatMap(({ id, enteredAt, leaving }) =>
      enteredAt === null || leaving ? [] : [{ id, enteredAt }],
    )
    return { held, known: permits.map(({ id }) => id), upTo: this.#last }
  }
}
