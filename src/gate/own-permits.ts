import type { Permit } from './admission.ts'
import { invariant } from './invariant.ts'

interface Asked {
  readonly number: number
  readonly credits: number
  /** The budgets that it is reserved in. */
  readonly scopes: readonly string[]
  /** Redis's clock; null until it is admitted. */
  enteredAt: number | null
  leaving: boolean
}

/** What a process declares of itself, as declare.lua takes it. */
export interface Declaration {
  /** Permits that are in flight, whatever Redis remembers. */
  readonly held: readonly {
    readonly id: string
    readonly enteredAt: number
    readonly credits: number
    readonly scopes: readonly string[]
  }[]
  /** Permits of this process that may be in flight; every other one up to the number `upTo` is not. */
  readonly known: readonly string[]
  readonly upTo: number
  /** The least that was spent in each budget, as far as this process knows. */
  readonly spent: Readonly<Record<string, number>>
}

/**
 * The permits of one process, and what it saw spent. Redis may lose them, or be rolled back to a state with permits
 * that were released since; the process knows better, and says so in a declaration.
 *
 * A permit goes through: asked → admitted → leaving → gone. Scripts of one process run in the order in which they were
 * sent, so a declaration names as `held` what is admitted and not leaving: whatever is still on its way is settled by
 * its own script.
 */
export class OwnPermits {
  readonly #permits = new Map<string, Asked>()
  readonly #process: string
  /** By budget: what the last declaration answered, and what this process has spent since. */
  readonly #spent = new Map<string, number>()
  #last = 0

  constructor(process: string) {
    this.#process = process
  }

  /** A new id, from the moment before its `enter` is sent. */
  ask(credits: number, scopes: readonly string[]): string {
    this.#last += 1
    const id = `${this.#process}-${this.#last}`
    this.#permits.set(id, { number: this.#last, credits, scopes, enteredAt: null, leaving: false })
    return id
  }

  admitted(id: string, enteredAt: number): void {
    const permit = this.#permits.get(id)
    if (permit !== undefined) permit.enteredAt = enteredAt
  }

  /** Not admitted. Where the answer never came it stays asked, and is declared neither held nor free. */
  refused(id: string): void {
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

  /** The answer of `leave` came. `credits`: what was charged; null where that is unknown, and the reservation counts. */
  left({ id }: Pick<Permit, 'id'>, credits: number | null): void {
    const permit = this.#permits.get(id)
    this.#permits.delete(id)
    for (const scope of permit?.scopes ?? []) this.charged(scope, credits ?? permit?.credits ?? 0)
  }

  declaration(): Declaration {
    const permits = [...this.#permits].map(([id, permit]) => ({ id, ...permit }))
    const held = permits.flatMap(({ id, enteredAt, leaving, credits, scopes }) =>
      enteredAt === null || leaving ? [] : [{ id, enteredAt, credits, scopes }],
    )
    return { held, known: permits.map(({ id }) => id), upTo: this.#last, spent: Object.fromEntries(this.#spent) }
  }

  /** What is spent in all, as the gate answered a declaration. */
  heard(spent: Readonly<Record<string, number>>): void {
    for (const [scope, credits] of Object.entries(spent)) this.#spent.set(scope, credits)
  }

  /** What this process spent without a permit. */
  charged(scope: string, credits: number): void {
    this.#spent.set(scope, (this.#spent.get(scope) ?? 0) + credits)
  }
}
