import { randomUUID } from 'node:crypto'
import { type RecipeHash, recipeHash } from '#src/document/ids.ts'
import type { Charge, Reservation, Reserving, Spending } from '#src/document/spending.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'
import { DECLARE, HOLD, PAY, RECORD } from './account-scripts.ts'
import { documentScripts } from './document-scripts.ts'
import { runInTouch, type ProcessLease } from './process-lease.ts'
import { overMessage, type RedisSpending } from './redis-spending.ts'

/** A spending cap, shared by all processes on the API key. Null only counts. */
export type Budget =
  | { readonly per: 'run'; readonly run: string; readonly limitCredits: number | null }
  | { readonly per: 'month'; readonly limitCredits: number | null }

interface Credits {
  /** Reserved for requests in flight. */
  readonly held: number
  readonly spent: number
}

export interface AccountSpendingOptions {
  readonly connection: RedisClient
  readonly lease: ProcessLease
  readonly queue: RedisSpending
  /** Digest of the API key, as in the gate. */
  readonly account: string
  readonly budgets: readonly Budget[]
  /** Name of a service other than the pipeline's own: its prices are learned separately. */
  readonly service?: string | undefined
}

interface Held {
  readonly credits: number
  readonly scopes: readonly string[]
  /** Redis has not replied yet. */
  isAsked: boolean
}

/** Hash tag: the budgets are in one slot of a Redis Cluster, with the gate of the API key. */
const tagOf = (account: string): string => `{sluice:gate:${account}}`

/** Spending at one service: reserves and concludes a request in the cap of the queue and the budgets of the API key. */
export class AccountSpending implements Spending {
  readonly #options: AccountSpendingOptions
  readonly #process = randomUUID().slice(0, 8)
  readonly #tag: string
  readonly #keys: readonly string[]
  readonly #held = new Map<string, Held>()
  /** Lower bound of the spent credits per scope, as far as this process knows. */
  readonly #spent = new Map<string, number>()
  #reservations = 0

  private constructor(options: AccountSpendingOptions) {
    this.#options = options
    this.#tag = tagOf(options.account)
    this.#keys = [`${this.#tag}:budget`, `${this.#tag}:held`, `${this.#tag}:alive:${this.#process}`]
  }

  static async open(options: AccountSpendingOptions): Promise<AccountSpending> {
    const spending = new AccountSpending(options)
    await spending.#declare()
    options.lease.onNewEpoch(() => spending.#declare())
    options.lease.onHeartbeat(() => spending.#declare())
    return spending
  }

  async reserve(recipe: RecipeHash, modelled: number): Promise<Reserving> {
    const { queue, lease, service } = this.#options
    const { losses } = lease
    const named = service === undefined ? recipe : recipeHash(`${recipe}-${service}`)
    this.#reservations += 1
    const id = `${this.#process}-${this.#reservations}`
    const credits = queue.expected(named, modelled)
    const asked = [queue.reserve(named, modelled, id), this.#hold(id, credits)] as const
    const [queued, refused] = await Promise.allSettled(asked)
    // The script of the queue detects a loss of data; that of the budgets may have decided on the rest.
    const isHeld = refused.status === 'fulfilled' && refused.value === null && losses === lease.losses
    if (isHeld && queued.status === 'fulfilled' && queued.value.kind === 'reserved') return queued.value
    await this.conclude({ id, recipe: named, modelled, credits }, 'unsent')
    if (queued.status === 'rejected') throw queued.reason
    if (refused.status === 'rejected') throw refused.reason
    if (losses !== lease.losses) return this.reserve(recipe, modelled)
    return queued.value.kind === 'reserved' ? (refused.value ?? queued.value) : queued.value
  }

  async conclude(reservation: Reservation, charge: Charge): Promise<void> {
    await Promise.all([this.#options.queue.conclude(reservation, charge), this.#pay(reservation.id, charge)])
  }

  /**
   * Restores the spent credits of the month of `at` from the records of a store: a lost Redis never resets a budget.
   */
  async restore(store: string, at: Date, credits: number): Promise<void> {
    const [budget = ''] = this.#keys
    await RECORD.run(this.#options.connection, [budget, `${this.#tag}:recorded`], [monthScope(at), store, credits])
  }

  /** Null if every budget covers the credits. */
  async #hold(id: string, credits: number): Promise<Exclude<Reserving, { kind: 'reserved' }> | null> {
    const { connection, lease } = this.#options
    const budgets = this.#options.budgets.map((budget) => [scopeOf(budget), budget.limitCredits ?? ''] as const)
    const held: Held = { credits, scopes: budgets.map(([scope]) => scope), isAsked: true }
    this.#held.set(id, held)
    const values = [id, textOf(held), ...budgets.flat()]
    const reply = await runInTouch(lease, () => documentScripts(connection, this.#tag).run(HOLD, this.#keys, values))
    const [verdict, scope, limit, spent] = reply
    held.isAsked = false
    if (verdict === 'reserved') return null
    this.#held.delete(id)
    if (verdict === 'wait') return { kind: 'wait', reason: 'requests in flight may use up the budget' }
    const of = scope.startsWith('month:') ? `the month ${scope.slice('month:'.length)}` : 'this run'
    return { kind: 'over', message: overMessage(of, 'it', [limit, spent, credits]) }
  }

  async #pay(id: string, charge: Charge): Promise<void> {
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#held.delete(id)
    const charged = charge === 'unsent' ? 0 : charge === 'unknown' ? held.credits : charge
    for (const scope of held.scopes) this.#spent.set(scope, (this.#spent.get(scope) ?? 0) + charged)
    await documentScripts(this.#options.connection, this.#tag).run(PAY, this.#keys, [id, charged])
  }

  /** Runs in the batch of the other scripts: earlier ones have run by then, and no later one has. */
  async #declare(): Promise<void> {
    const { connection, lease } = this.#options
    const known: Record<'held' | 'asked', Record<string, string>> = { held: {}, asked: {} }
    for (const [id, held] of this.#held) known[held.isAsked ? 'asked' : 'held'][id] = textOf(held)
    const text = JSON.stringify({ ...known, spent: Object.fromEntries(this.#spent) })
    const values = [this.#process, `${this.#tag}:alive:`, lease.leaseMs, text]
    const spent = await documentScripts(connection, this.#tag).run(DECLARE, this.#keys, values)
    for (let at = 0; at < spent.length; at += 2) {
      const scope = spent[at] ?? ''
      this.#spent.set(scope, Math.max(this.#spent.get(scope) ?? 0, Number(spent[at + 1])))
    }
  }
}

const monthScope = (at: Date): string => `month:${at.toISOString().slice(0, 7)}`

const scopeOf = (budget: Budget): string => (budget.per === 'run' ? `run:${budget.run}` : monthScope(new Date()))

const textOf = ({ credits, scopes }: Held): string => JSON.stringify({ credits, scopes })

/** For a process that only reads: the total of all runs, and the last month; null before the first. */
export type AccountCredits = Readonly<Record<Budget['per'], Credits | null>>

export async function creditsOf(connection: RedisClient, account: string): Promise<AccountCredits> {
  const fields = await connection.hgetall(`${tagOf(account)}:budget`)
  const scopes = [...new Set(Object.keys(fields).map((name) => name.replace(/:\w+$/, '')))].toSorted()
  const sum = (of: readonly string[], field: keyof Credits): number =>
    of.reduce((credits, scope) => credits + Number(fields[`${scope}:${field}`] ?? 0), 0)
  const all = (of: readonly string[]): Credits | null =>
    of.length === 0 ? null : { held: sum(of, 'held'), spent: sum(of, 'spent') }
  return {
    run: all(scopes.filter((scope) => scope.startsWith('run:'))),
    month: all(scopes.filter((scope) => scope.startsWith('month:')).slice(-1)),
  }
}
