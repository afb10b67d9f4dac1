import type { IncomingHttpHeaders } from 'node:http'
import { retryAfterMs } from '#src/contract/retry-after.ts'

/** What came of one request for a chat completion. */
export type ChatAnswer =
  | {
      readonly kind: 'written'
      readonly text: string
      /** Of prompt and answer together; null where the service does not say. */
      readonly tokens: number | null
      /** The model that answered, by its own name. */
      readonly by: string | null
    }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null; readonly message: string }
  /** The service does not take this prompt. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** `absent`: no server took the request. */
  | {
      readonly kind: 'unavailable'
      readonly absent: boolean
      readonly retryAfterMs: number | null
      readonly message: string
    }
  /** No prompt will pass until a person acts. */
  | { readonly kind: 'refused'; readonly cause: 'credits' | 'key' | 'address'; readonly message: string }

interface Completion {
  readonly model?: unknown
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[]
  readonly usage?: { readonly total_tokens?: unknown } | null
}

export interface RawChatAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Codes of OpenAI and its kin for an account that has nothing left, sent with 429 or 403. */
const NO_CREDIT = /^(?:insufficient_quota|billing_hard_limit_reached|insufficient_balance|insufficient_credits)$/

/** Reads an answer of an OpenAI-compatible service. Its texts are left out: some repeat the key or the prompt. */
export function readChatAnswer({ status, headers, body }: RawChatAnswer, nowMs: number): ChatAnswer {
  const json = objectIn(body)
  if (status === 200) return completionIn(json)
  const error = fieldsOf(json?.['error']) ?? json ?? {}
  const code = [error['code'], error['type']].find((value) => typeof value === 'string' && NAME.test(value)) as
    | string
    | undefined
  const message = `the model service answered ${status}${code === undefined ? '' : ` (${code})`}`
  const hint = (): number | null =>
    retryAfterMs({
      header: headers['retry-after'] ?? null,
      date: headers.date ?? null,
      body: error,
      text: typeof error['message'] === 'string' ? error['message'] : '',
      nowMs,
    })
  if (status === 402 || (code !== undefined && NO_CREDIT.test(code)))
    return { kind: 'refused', cause: 'credits', message }
  if (status === 429) return { kind: 'throttled', retryAfterMs: milliseconds(headers) ?? hint(), message }
  if (status === 401 || status === 403) return { kind: 'refused', cause: 'key', message }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', absent: false, retryAfterMs: hint(), message }
  }
  if (status === 400 || status === 413 || status === 422) return { kind: 'rejected', message }
  return { kind: 'refused', cause: 'address', message }
}

const NAME = /^[\w.-]{1,64}$/

function completionIn(json: Readonly<Record<string, unknown>> | null): ChatAnswer {
  const { model, choices, usage } = (json ?? {}) as Completion
  if (!Array.isArray(choices) || choices.length === 0) {
    const message = 'the model service answered 200 with something else than a chat completion'
    return { kind: 'refused', cause: 'address', message }
  }
  const [first] = choices as NonNullable<Completion['choices']>
  const content = first?.message?.content
  const tokens = usage?.total_tokens
  return {
    kind: 'written',
    text: typeof content === 'string' ? content : '',
    tokens: typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0 ? tokens : null,
    by: typeof model === 'string' ? model.slice(0, 200) : null,
  }
}

/** `Retry-After-Ms`, which Azure and OpenAI send beside the seconds. */
function milliseconds(headers: IncomingHttpHeaders): number | null {
  const text = [headers['retry-after-ms']].flat()[0]
  return text !== undefined && /^\d{1,9}(?:\.\d+)?$/.test(text) ? Number(text) : null
}

function objectIn(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(body.toString('utf8')))
  } catch {
    return null
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
