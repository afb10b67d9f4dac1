import type { ParsedData } from '#src/contract/response.ts'
import type { Engine } from '#src/engine/create-engine.ts'

export interface ErrorBody {
  readonly success: boolean
  readonly code?: string
  readonly error?: string
  readonly details?: readonly Record<string, unknown>[]
}

export interface EngineAnswer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: ErrorBody & { readonly data?: ParsedData }
}

interface Sent {
  readonly file?: File
  readonly options?: object
  readonly key?: string
  readonly signal?: AbortSignal
}

export const csvFile = (name = 'people.csv', text = 'name,age\nAda,36\n'): File =>
  new File([text], name, { type: 'text/csv' })

/** Sends one document, as a browser's form would. */
export async function parseWith(
  engine: Pick<Engine, 'url'>,
  { file = csvFile(), options, key, signal }: Sent,
): Promise<EngineAnswer> {
  const form = new FormData()
  form.append('file', file)
  if (options !== undefined) form.append('options', JSON.stringify(options))
  const response = await fetch(`${engine.url}/v2/parse`, {
    method: 'POST',
    body: form,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    ...(signal === undefined ? {} : { signal }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as EngineAnswer['body'],
  }
}
