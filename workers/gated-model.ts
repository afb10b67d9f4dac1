import { setTimeout as sleep } from 'node:timers/promises'
import type { ContextAnswer, ContextModel, ContextQuestion, WrittenContext } from '#src/corpus/context/context-model.ts'
import type { Departure } from '#src/gate/admission.ts'
import type { Feedback } from '#src/gate/feedback.ts'
import type { RedisGate } from '#src/gate/redis-gate.ts'
import type { ChatAnswer } from '#src/model/chat-answer.ts'
import type { ChatClient } from '#src/model/chat-client.ts'

export interface GatedModelOptions {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
  readonly client: Pick<ChatClient, 'complete'>
  /** Its credits are tokens. */
  readonly gate: Pick<RedisGate, 'enter' | 'leave'>
  /** Why the budget lets nothing more through. */
  readonly budgetMessage: () => string
  /** A service that answered nothing for so long is given up. */
  readonly patienceMs: number
  /** Aborts waits: nothing new is asked. */
  readonly soft: AbortSignal
  /** Aborts what is in flight. */
  readonly hard: AbortSignal
}

/** Failures of one question that are its own, until it is given up. */
const MOST_ATTEMPTS = 3

/** A model behind the limiter: refusals wait and use no attempt, failures are repeated a few times. */
export class GatedModel implements ContextModel {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
  readonly #with: GatedModelOptions
  /** Since when the service gives no answer; null while it does. */
  #downSince: number | null = null
  #halted: string | null = null

  constructor(options: GatedModelOptions) {
    this.name = options.name
    this.options = options.options
    this.#with = options
  }

  async ask(question: ContextQuestion, keep: Keep): Promise<ContextAnswer> {
    let attempts = 0
    for (;;) {
      if (this.#halted !== null) return { kind: 'halted', message: this.#halted }
      const step = await this.#once(question, keep)
      if (step.kind === 'done') return step.answer
      if (step.counts) attempts += 1
      if (attempts >= MOST_ATTEMPTS) return { kind: 'failed', message: step.message }
      const isGivenUp = this.#downSince !== null && performance.now() - this.#downSince > this.#with.patienceMs
      if (isGivenUp) return this.#halt(step.message)
      await sleep(step.waitMs, undefined, { signal: this.#with.soft })
    }
  }

  async #once(question: ContextQuestion, keep: Keep): Promise<Step> {
    const { gate, client, soft, hard } = this.#with
    const admission = await gate.enter({ key: question.name, credits: question.tokens }, soft)
    if (admission.kind === 'wait') {
      return { kind: 'again', waitMs: admission.waitMs, counts: false, message: admission.reason }
    }
    if (admission.kind === 'halted') {
      const message = admission.cause === 'budget' ? this.#with.budgetMessage() : admission.message
      return { kind: 'done', answer: this.#halt(message) }
    }
    const startedAt = performance.now()
    let answer: ChatAnswer | null = null
    try {
      answer = await client.complete(question.prompt, hard)
    } finally {
      // An answer that was given up on may have been charged: its tokens stay counted.
      if (answer === null) await gate.leave(admission.permit, { kind: 'abandoned', credits: question.tokens })
    }
    const feedback = feedbackOf(answer, question.tokens, performance.now() - startedAt)
    const { retryInMs, countsAsAttempt } = await this.#kept(answer, keep, () => gate.leave(admission.permit, feedback))
    this.#downSince = answer.kind === 'unavailable' ? (this.#downSince ?? performance.now()) : null
    if (answer.kind === 'written') return { kind: 'done', answer }
    if (answer.kind === 'rejected') return { kind: 'done', answer: { kind: 'failed', message: answer.message } }
    if (answer.kind === 'refused') return { kind: 'done', answer: this.#halt(answer.message) }
    const waitMs = Math.max(retryInMs ?? 0, answer.retryAfterMs ?? 0, answer.kind === 'unavailable' ? 500 : 0)
    return { kind: 'again', waitMs, counts: answer.kind === 'unavailable' && countsAsAttempt, message: answer.message }
  }

  /** The answer is on the disk before its slot is released: a kill leaves ambiguous only requests that hold a slot. */
  async #kept(answer: ChatAnswer, keep: Keep, leave: () => Promise<Departure>): Promise<Departure> {
    try {
      if (answer.kind === 'written') await keep(answer)
    } catch (error) {
      await leave()
      throw error
    }
    return leave()
  }

  #halt(message: string): ContextAnswer {
    this.#halted ??= message
    return { kind: 'halted', message: this.#halted }
  }
}

type Keep = (answer: WrittenContext) => Promise<void>

type Step =
  | { readonly kind: 'done'; readonly answer: ContextAnswer }
  | { readonly kind: 'again'; readonly waitMs: number; readonly counts: boolean; readonly message: string }

/** How a request ended, as the limiter learns it; its credits are tokens. */
function feedbackOf(answer: ChatAnswer, estimated: number, durationMs: number): Feedback {
  const delay = 'retryAfterMs' in answer && answer.retryAfterMs !== null ? { retryAfterMs: answer.retryAfterMs } : {}
  if (answer.kind === 'written')
    return { kind: 'accepted', durationMs, queuedMs: 0, credits: answer.tokens ?? estimated }
  if (answer.kind === 'throttled') return { kind: 'refused', limit: 'rate', credits: 0, ...delay }
  if (answer.kind === 'unavailable') {
    // A request that reached a server may have been charged.
    const seen = answer.absent ? ({ absent: true, credits: 0 } as const) : { credits: estimated }
    return { kind: 'down', message: answer.message, ...seen, ...delay }
  }
  if (answer.kind === 'rejected' || answer.cause === 'address') return { kind: 'answered', credits: 0 }
  return { kind: answer.cause, message: answer.message, credits: 0 }
}
