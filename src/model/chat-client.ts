import { type Dispatcher, request } from 'undici'
import { type ChatAnswer, readChatAnswer } from './chat-answer.ts'

export interface ChatClientOptions {
  /** Base address, before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Sent as bearer key; empty for a service that wants none. */
  readonly key: string
  readonly model: string
  /** Fields of each request beside model and messages. */
  readonly options: Readonly<Record<string, unknown>>
  readonly dispatcher: Dispatcher
  readonly timeoutMs: number
}

/** Longest answer that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024

/** An OpenAI-compatible service: one prompt, one answer. Sends nothing twice. */
export class ChatClient {
  readonly #options: ChatClientOptions
  readonly #url: URL

  constructor(options: ChatClientOptions) {
    this.#options = options
    this.#url = new URL(`${options.baseUrl.replace(/\/+$/, '')}/chat/completions`)
  }

  /** Rejects with the reason of `signal` only. */
  async complete(prompt: string, signal: AbortSignal): Promise<ChatAnswer> {
    const { key, model, options, dispatcher, timeoutMs } = this.#options
    const late = AbortSignal.timeout(timeoutMs)
    const body = JSON.stringify({ ...options, model, messages: [{ role: 'user', content: prompt }] })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sluice',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    }
    try {
      const cut = AbortSignal.any([signal, late])
      const answer = await request(this.#url, { method: 'POST', headers, body, dispatcher, signal: cut })
      const bytes = await bytesOf(answer.body)
      return readChatAnswer({ status: answer.statusCode, headers: answer.headers, body: bytes }, Date.now())
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AnswerTooLong) return { kind: 'refused', cause: 'address', message: error.message }
      return unreachable(error, late.aborted ? timeoutMs : null)
    }
  }
}

class AnswerTooLong extends Error {
  override name = 'AnswerTooLong' as const
}

async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new AnswerTooLong(`the model service answered more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Codes of a connection that was never made: the service has not seen the request. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

function unreachable(error: unknown, timeoutMs: number | null): ChatAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
  const message =
    timeoutMs === null
      ? `the model service cannot be reached (${code})`
      : `the model service did not answer in ${timeoutMs / 1000} s`
  return { kind: 'unavailable', absent: NEVER_CONNECTED.test(code), retryAfterMs: null, message }
}
