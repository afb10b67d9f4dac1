/** A question to a model, and what it is expected to cost. */
export interface ContextQuestion {
  /** Names the context: its failures are remembered under it. */
  readonly name: string
  readonly prompt: string
  /** Estimate of the tokens of prompt and answer. */
  readonly tokens: number
}

/** What a model wrote. `tokens`: charged, as the service says; null where it does not say. `by`: its own name for itself. */
export interface WrittenContext {
  readonly kind: 'written'
  readonly text: string
  readonly tokens: number | null
  readonly by: string | null
}

export type ContextAnswer =
  | WrittenContext
  /** Of this chunk only: the service refuses it, or failed on it several times. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Nothing more is to be asked: budget, account, key, address, or a service that stays away. */
  | { readonly kind: 'halted'; readonly message: string }

/** A model behind its limiter and budget. Waits for both, repeats what was refused for a time, and throws only when aborted. */
export interface ContextModel {
  readonly name: string
  /** All that makes another answer of the same prompt, beside the model: sampling options. */
  readonly options: Readonly<Record<string, unknown>>
  /** Calls `keep` with an answer the moment it is there, before anything else is done with it. */
  ask(question: ContextQuestion, keep: (answer: WrittenContext) => Promise<void>): Promise<ContextAnswer>
}
