/** An endpoint that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, or a hosted one. */
export interface ModelOptions {
  /** Base address, before `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  readonly url: string
  /** Sent as bearer key; left out or empty for a server that wants none. */
  readonly key?: string
  readonly name: string
  /** More of a document than this is not shown to the model; default 200,000 characters. */
  readonly maxInputCharacters?: number
}

/** The model could not be asked, or gave no answer. The document itself is fine. */
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
    // Once more: a connection kept open from the last document may have been closed at the other end by now.
    return await ask().catch(ask)
  } catch (error) {
    throw new ModelUnavailable('the language model cannot be reached', { cause: error })
  }
}

/**
 * One answer of the model. `schema` asks for JSON that fits it, where the server can hold the model to that. Runs in a
 * child process that is killed at the request's timeout, so it has none of its own.
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
  if (bytes.byteLength > MAX_ANSWER_BYTES) throw new ModelUnavailable('the language model answered without end')
  try {
    const { choices } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Completion
    const content = choices?.[0]?.message?.content
    if (typeof content === 'string' && content.trim() !== '') return content.trim()
  } catch (error) {
    throw new ModelUnavailable('the language model answered something that is no completion', { cause: error })
  }
  throw new ModelUnavailable('the language model answered nothing')
}
