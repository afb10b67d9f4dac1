import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from './listen.ts'

/** How one request is answered; left out: 200 with a completion. */
export interface ChatReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  readonly delayMs?: number
  /** Cuts the connection: before it answers, having charged all the same. */
  readonly isCut?: true
}

export interface ChatRequest {
  /** From 1, in order of arrival. */
  readonly number: number
  readonly path: string
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] } & Readonly<
    Record<string, unknown>
  >
  readonly prompt: string
  /** `performance.now()`. */
  readonly atMs: number
}

/** A purchase: a request that was answered with 200. */
export interface Charge {
  readonly prompt: string
  readonly tokens: number
  /** When the answer was on its way, `performance.now()`. */
  readonly atMs: number
}

/** An OpenAI-compatible service over real HTTP that counts what it charges. */
export interface ChatService extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string
  readonly requests: readonly ChatRequest[]
  readonly charges: readonly Charge[]
  /** Most requests that were in flight at a time. */
  mostInFlight(): number
}

const TOKENS_EACH = 1000

export async function startChatService(answer: (request: ChatRequest) => ChatReply = () => ({})): Promise<ChatService> {
  const requests: ChatRequest[] = []
  const charges: Charge[] = []
  let inFlight = 0
  let most = 0
  const server = createServer((incoming, response) => {
    void (async () => {
      most = Math.max(most, ++inFlight)
      response.once('close', () => (inFlight -= 1))
      let text = ''
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk as string
      const body = JSON.parse(text) as ChatRequest['body']
      const prompt = body.messages[0]?.content ?? ''
      const { authorization } = incoming.headers
      const request = {
        number: requests.length + 1,
        path: incoming.url ?? '',
        authorization,
        body,
        prompt,
        atMs: performance.now(),
      }
      requests.push(request)
      const { status = 200, headers = {}, body: said, delayMs = 0, isCut = false } = answer(request)
      if (delayMs > 0) await sleep(delayMs)
      if (status === 200) charges.push({ prompt, tokens: TOKENS_EACH, atMs: performance.now() })
      if (isCut) response.destroy()
      else response.writeHead(status, { 'content-type': 'application/json', ...headers })
      if (!isCut) response.end(JSON.stringify(said ?? completionFor(prompt)))
    })().catch(() => response.destroy())
  })
  const listening = await listen(server)
  return {
    url: `${listening.url}/v1`,
    requests,
    charges,
    mostInFlight: () => most,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}

/** Says something else for each prompt. */
const contextFor = (prompt: string): string => `This is about ${hash('sha256', prompt).slice(0, 12)}. It is true.`

const completionFor = (prompt: string): object => ({
  id: 'x',
  object: 'chat.completion',
  model: 'small-1',
  choices: [{ index: 0, message: { role: 'assistant', content: contextFor(prompt) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: TOKENS_EACH - 20, completion_tokens: 20, total_tokens: TOKENS_EACH },
})
