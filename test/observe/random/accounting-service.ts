import { setTimeout as sleep } from 'node:timers/promises'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../../support/scripted-service.ts'
import type { Kind } from './draw-run.ts'

const CREDITS = 3

interface AccountedReply {
  readonly pipeline: string
  readonly kind: 'parsed' | 'refused' | 'other'
}

/** A service that keeps account of what it answered, and can hold all answers back. */
export class AccountingService implements AsyncDisposable {
  readonly service: ScriptedService
  readonly #reported = new Map<number, AccountedReply>()
  readonly #seen = new Set<string>()
  #open: Promise<void> = Promise.resolve()

  private constructor() {
    this.service = new ScriptedService({ answers: (request) => this.#answer(request) })
  }

  static async start(): Promise<AccountingService> {
    const service = new AccountingService()
    await service.service.listen()
    return service
  }

  /** Until the function that it returns is called, no request is answered. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open = promise
    return resolve
  }

  /** Requests that came, whether answered or not. */
  get requests(): number {
    return this.service.requests.length
  }

  /** Refusals that reached their client. */
  get refused(): number {
    return this.#reached('refused').length
  }

  /** Credits of the answers that reached their client, by pipeline. */
  get credits(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>()
    for (const { pipeline } of this.#reached('parsed')) sums.set(pipeline, (sums.get(pipeline) ?? 0) + CREDITS)
    return sums
  }

  #reached(kind: AccountedReply['kind']): readonly AccountedReply[] {
    return [...this.#reported].flatMap(([number, reported]) =>
      reported.kind === kind && this.service.answered.has(number) ? [reported] : [],
    )
  }

  async #answer({ number, file }: ReceivedRequest): Promise<Reply> {
    const text = String(file?.content)
    const kind = (/kind (\w+)/.exec(text)?.[1] ?? 'good') as Kind
    const pipeline = /pipeline (\d+)/.exec(text)?.[1] ?? ''
    await this.#open
    const isFirst = !this.#seen.has(text)
    this.#seen.add(text)
    const note = (what: AccountedReply['kind']): unknown => this.#reported.set(number, { pipeline, kind: what })
    if (kind === 'held') return { fault: 'hang' }
    if (kind === 'slow') await sleep(400)
    if (kind === 'refused' && isFirst) {
      note('refused')
      return { ...errorReply(429, 'Rate limit exceeded.'), headers: { 'retry-after': '1' } }
    }
    if (kind === 'unavailable' && isFirst) {
      return errorReply(500, 'An unexpected error occurred on the server.', { code: 'UNKNOWN_ERROR' })
    }
    if (kind === 'poison') return errorReply(422, 'The document is damaged.', { code: 'PARSE_FAILED' })
    note('parsed')
    return parsedReply(text, { metadata: { statusCode: 200, creditsUsed: CREDITS } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }
}
