import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreOutside } from '../faults/store-outside.ts'
import { Random } from '../support/random.ts'
import {
  errorReply,
  parsedReply,
  type Reply,
  type ReceivedRequest,
  ScriptedService,
} from '../support/scripted-service.ts'
import type { RunningSluice } from '../support/sluice.ts'
import type { BudgetPlan } from './budget-run.ts'

interface Charge {
  readonly content: string
  readonly credits: number
}

/** The service of one run and its ledger: what it charged, for which content, at which price. */
export class ChargingBooks implements AsyncDisposable {
  readonly #plan: Omit<BudgetPlan, 'seed'>
  readonly #random: Random
  readonly #service: ScriptedService
  readonly #charges: Charge[] = []
  requests = 0
  #isRefilled = false
  /** Index of each charge whose answer was not yet saved when a process was killed → credits known for it by then. */
  readonly #unsaved = new Map<number, number>()

  private constructor(plan: BudgetPlan) {
    this.#plan = plan
    this.#random = new Random(plan.seed + 1)
    this.#service = new ScriptedService({ answers: (request) => this.#answer(request) })
  }

  static async open(plan: BudgetPlan): Promise<ChargingBooks> {
    const books = new ChargingBooks(plan)
    await books.#service.listen()
    return books
  }

  get url(): string {
    return this.#service.url
  }

  get charged(): number {
    return this.#charges.reduce((sum, { credits }) => sum + credits, 0)
  }

  /** From now on it has credits again, at the price of then. */
  refill(): void {
    this.#isRefilled = true
  }

  async kill(victim: RunningSluice | undefined, out: string): Promise<void> {
    if (victim === undefined) return
    const charged = this.#charges.length
    victim.child.kill('SIGKILL')
    await victim.finished
    const saved = await contentsSaved(out)
    // A price is reported in the step that ends a request, as its answer is saved; the model says 1 before.
    const known = saved.size > 0 ? this.#plan.price : 1
    for (let index = 0; index < charged; index += 1) {
      const isSaved = saved.has(this.#charges[index]?.content ?? '')
      if (!isSaved && !this.#unsaved.has(index)) this.#unsaved.set(index, known)
    }
  }

  /**
   * Beyond the cap by the promise: the first document, whose price no process knew; after a rise the difference, for the
   * requests that can be in flight. A process that is killed reports nothing of its unsaved requests: they count as they
   * were reserved, and not at all where Redis lost the reservation too.
   */
  bound({ price, cap, rises, processes, slots, losses }: BudgetPlan): number {
    const highest = Math.max(price, ...this.#charges.map(({ credits }) => credits))
    const first = Math.max(0, price - cap)
    const risen = rises.length > 0 ? (highest - Math.min(price, highest)) * processes * slots : 0
    const killed = [...this.#unsaved].map(
      ([index, known]) => (this.#charges[index]?.credits ?? 0) - (losses.length > 0 ? 0 : known),
    )
    return first + risen + killed.reduce((sum, credits) => sum + credits, 0)
  }

  /** Records, and receipts of what was bought and recorded by another process, against the ledger. */
  differences({ records, receipts }: StoreOutside, hasKills: boolean, ambiguous: number): readonly string[] {
    const recorded = [...records.values()].reduce((sum, { cost }) => sum + cost.credits, 0)
    const kept = [...receipts.values()].reduce((sum, body) => sum + creditsIn(body), 0)
    const difference = this.charged - kept
    if (hasKills || ambiguous > 0) {
      const mayBeLost = this.#charges.toSorted((a, b) => b.credits - a.credits).slice(0, this.#unsaved.size + ambiguous)
      const most = mayBeLost.reduce((sum, { credits }) => sum + credits, 0)
      const isExplained = difference >= 0 && difference <= most
      return isExplained ? [] : [`receipts have ${kept} of ${this.charged} credits, and ${most} may be in doubt`]
    }
    return [
      ...(difference === 0 ? [] : [`receipts have ${kept} credits, and ${this.charged} were charged`]),
      ...(recorded === this.charged ? [] : [`records have ${recorded} credits, and ${this.charged} were charged`]),
    ]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]()
  }

  #answer({ file }: ReceivedRequest): Reply {
    this.requests += 1
    const { price, rises, emptyAfter } = this.#plan
    const number = this.#charges.length
    const delayMs = 5 + this.#random.below(40)
    if (!this.#isRefilled && emptyAfter !== null && number >= emptyAfter) {
      return { ...errorReply(402, 'Payment Required: insufficient credits'), delayMs }
    }
    const risen = rises.filter(({ after }) => number >= after).map((rise) => rise.price)
    const credits = Math.max(price, ...risen)
    this.#charges.push({ content: file?.sha256 ?? '', credits })
    return { ...parsedReply('# Parsed', { metadata: { statusCode: 200, creditsUsed: credits } }), delayMs }
  }
}

/** SHA-256 of each content whose answer is in the store. */
async function contentsSaved(out: string): Promise<ReadonlySet<string>> {
  const names = await readdir(join(out, 'receipts'), { recursive: true }).catch(() => [])
  return new Set(names.flatMap((name) => /([0-9a-f]{64})-[^/]*\.json\.gz$/.exec(name)?.[1] ?? []))
}

const creditsIn = (body: string): number =>
  (JSON.parse(body) as { readonly data: { readonly metadata: { readonly creditsUsed: number } } }).data.metadata
    .creditsUsed
