import { hash } from 'node:crypto'
import { openSite } from './web-site.ts'

/** How one request is answered; left out: 200 with a completion. */
export interface ChatReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

export interface ChatRequest {
  /** From 1, in order of arrival. */
  readonly number: number
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] }
}

/** An OpenAI-compatible service over real HTTP that counts what it charges: requests that it answers with 200. */
export async function startChatService(answer: (request: ChatRequest) => ChatReply = () => ({})) {
  const requests: ChatRequest[] = []
  const counted = { charged: 0 }
  const site = await openSite((_, text, { headers: { authorization } }) => {
    const body = JSON.parse(text) as ChatRequest['body']
    const request = { number: requests.length + 1, authorization, body }
    requests.push(request)
    const { status = 200, headers, body: given } = answer(request)
    if (status === 200) counted.charged += 1
    const completion = given ?? completionFor(body.messages[0]?.content ?? '')
    return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(completion) }
  })
  return Object.assign(counted, {
    /** With `/v1`. */
    url: `${site.url}/v1`,
    requests,
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  })
}

/** Says something else for each prompt. */
const contextFor = (prompt: string): string => `This is about ${hash('sha256', prompt).slice(0, 12)}. It is true.`

const completionFor = (prompt: string): object => ({
  id: 'x',
  object: 'chat.completion',
  model: 'small-1',
  choices: [{ index: 0, message: { role: 'assistant', content: contextFor(prompt) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 980, completion_tokens: 20, total_tokens: 1000 },
})
