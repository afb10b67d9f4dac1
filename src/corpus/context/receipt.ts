import { hash } from 'node:crypto'
import type { ContentHash } from '#src/document/ids.ts'
import { PROMPT_VERSION } from './prompt.ts'

/** What a context is bought for. */
export interface ContextSubject {
  readonly contentHash: ContentHash
  /** Of the chunk, as the model is shown it. */
  readonly text: string
  readonly model: string
  readonly options: Readonly<Record<string, unknown>>
}

/** A file below `contexts/`: the answer of a model, kept before anything else is done with it. */
export interface ContextReceipt {
  readonly format: 1
  readonly model: string
  /** Model that the service names in its answer. */
  readonly by: string | null
  readonly promptVersion: number
  readonly contentHash: string
  /** SHA-256 of the chunk's text. */
  readonly chunk: string
  /** The answer as it came. */
  readonly text: string
  readonly tokens: number | null
  /** ISO 8601, UTC. */
  readonly at: string
}

/** 64 hexadecimal digits that name a context: the same chunk of the same document is asked about once for each model and prompt. */
export function contextHash({ contentHash, text, model, options }: ContextSubject): string {
  const sorted = Object.entries(options).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify([PROMPT_VERSION, model, sorted, contentHash, text]))
}

export const receiptName = (digest: string): string => `${digest.slice(0, 2)}/${digest}.json`

export function receiptBytes(
  { contentHash, text: chunk, model }: ContextSubject,
  answer: Pick<ContextReceipt, 'text' | 'by' | 'tokens'>,
  at: string,
): Buffer {
  const receipt: ContextReceipt = {
    format: 1,
    model,
    by: answer.by,
    promptVersion: PROMPT_VERSION,
    contentHash,
    chunk: hash('sha256', chunk),
    text: answer.text,
    tokens: answer.tokens,
    at,
  }
  return Buffer.from(`${JSON.stringify(receipt)}\n`)
}

/** Null for what is no whole receipt. */
export function readReceipt(bytes: Buffer): ContextReceipt | null {
  try {
    const receipt = JSON.parse(bytes.toString('utf8')) as Partial<ContextReceipt>
    return receipt.format === 1 && typeof receipt.text === 'string' ? (receipt as ContextReceipt) : null
  } catch {
    return null
  }
}
