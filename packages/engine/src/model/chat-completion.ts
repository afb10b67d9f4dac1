/** An endpoint for OpenAI's chat completions: Ollama, vLLM, llama.cpp, or a hosted one. */
export interface ModelOptions {
  /** Base address, before `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  readonly url: string
  /** Bearer key. Absent or empty for a server without authentication. */
  readonly key?: string
  readonly name: string
  /** Maximum input in characters. The model does not see the rest of a document. Default: 200,000. */
  readonly maxInputCharacters?: number
}

/** The model was unreachable, or gave no answer. The document itself is fine. */
export class ModelUnavailable extends Error {
  override name = 'ModelUnavailable' as const
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export const DEFAULT_INPUT_CHARACTERS = 200_000
const MAX_ANSWER_BYTES = 16 * 1024 ** 2

interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: string | null } }[]
}

async function post(model: ModelOptions, body: object): Promise<Response> {
  const url = `${model.url.replace(/\/+$/, '')}/chat/completions`
  const authorization = (model.key ?? '') === '' ? {} : { authorization: `Bearer ${model.key}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  const ask = (): Promise<Response> => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  try {
    // Retries once, because the server may have closed a kept-alive connection.
    return await ask().catch(ask)
  } catch (error) {
    throw new ModelUnavailable('the language model cannot be reached', { cause: error })
  }
}

/**
 * Returns one answer of the model. `schema` requests matching JSON from a server that supports it. It has no timeout,
 * because it runs in a child process that is killed at the request's timeout.
 */
export async function complete(
  model: ModelOptions,
  messages: readonly Message[],
  schema: object | null = null,
): Promise<string> {
  const format =
    schema === null ? {} : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
  const response = await post(model, { model: model.name, messages, temperature: 0, ...format })
  if (!response.ok) throw new ModelUnavailable(`the language model answered ${response.status}`)
  const bytes = await response.arrayBuffer()
  if (bytes.byteLength > MAX_ANSWER_BYTES) throw new ModelUnavailable('the answer of the language model is too long')
  try {
    const { choices } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Completion
    const content = choices?.[0]?.message?.content
    if (typeof content === 'string' && content.trim() !== '') return content.trim()
  } catch (error) {
    throw new ModelUnavailable('the answer of the language model is not a chat completion', { cause: error })
  }
  throw new ModelUnavailable('the answer of the language model is empty')
}
