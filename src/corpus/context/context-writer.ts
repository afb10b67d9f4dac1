import type { ContextStorage } from '#src/ports/context-storage.ts'
import type { ContentHash } from '#src/document/ids.ts'
import type { Span, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import type { ContextModel, WrittenContext } from './context-model.ts'
import { promptFor } from './prompt.ts'
import { contextHash, readReceipt, receiptBytes, receiptName } from './receipt.ts'

/** A chunk that a context is wanted for. */
export interface ContextRequest {
  readonly contentHash: ContentHash
  readonly markdown: string
  readonly span: Span
  readonly text: string
}

export interface ContextTally {
  /** Written by the model for this export, and the tokens that were charged for them. */
  bought: number
  tokens: number
  /** Taken from receipts, at no cost. */
  kept: number
  /** Chunks that have none: the model failed on them, or nothing more was asked. */
  missing: number
  /** Why nothing more was asked; null where all were. */
  halted: string | null
  /** Of one of those that the model failed on. */
  failure: string | null
}

const emptyContextTally = (): ContextTally => ({
  bought: 0,
  tokens: 0,
  kept: 0,
  missing: 0,
  halted: null,
  failure: null,
})

export interface ContextWriterOptions {
  readonly storage: ContextStorage
  readonly model: ContextModel
  readonly counter: TokenCounter
  readonly now: () => Date
}

/** Tokens that an answer is expected to have. */
const ANSWER_TOKENS = 120

/**
 * Finds or buys what a model writes about a chunk. Each is bought once: a receipt is searched for first, and the answer is on the
 * disk before it is used. Chunks with the same text in the same document share one question, also in flight (single flight).
 */
export class ContextWriter {
  readonly tally = emptyContextTally()
  readonly #options: ContextWriterOptions
  readonly #inFlight = new Map<string, Promise<string | null>>()

  constructor(options: ContextWriterOptions) {
    this.#options = options
  }

  /** What the model wrote; null where there is none. */
  async contextOf(request: ContextRequest): Promise<string | null> {
    const { name: model, options } = this.#options.model
    const digest = contextHash({ ...request, model, options })
    const running = this.#inFlight.get(digest)
    if (running !== undefined) return this.#counted(await running)
    const found = this.#find(digest, request)
    this.#inFlight.set(digest, found)
    try {
      return await found
    } finally {
      this.#inFlight.delete(digest)
    }
  }

  /** Resolves when no question is in flight any more: their answers are kept, whatever became of the export. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inFlight.values())
  }

  #counted(text: string | null): string | null {
    if (text === null) this.tally.missing += 1
    else this.tally.kept += 1
    return text
  }

  async #find(digest: string, request: ContextRequest): Promise<string | null> {
    const { storage, model, now } = this.#options
    const stored = await storage.read(receiptName(digest))
    const receipt = stored === null ? null : readReceipt(stored)
    if (receipt !== null) return this.#counted(receipt.text)
    if (this.tally.halted !== null) return this.#counted(null)
    const prompt = promptFor(request.markdown, request.span, request.text)
    const tokens = this.#options.counter.count(prompt) + ANSWER_TOKENS
    const keep = async (written: WrittenContext): Promise<void> => {
      const subject = { ...request, model: model.name, options: model.options }
      await storage.write(receiptName(digest), receiptBytes(subject, written, now().toISOString()))
    }
    const answer = await model.ask({ name: digest, prompt, tokens }, keep)
    if (answer.kind === 'written') {
      this.tally.bought += 1
      this.tally.tokens += answer.tokens ?? tokens
      return answer.text
    }
    if (answer.kind === 'halted') this.tally.halted ??= answer.message
    else this.tally.failure ??= answer.message
    return this.#counted(null)
  }
}
