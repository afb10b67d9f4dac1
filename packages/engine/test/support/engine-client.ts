import type { ParsedData } from '@sluice/contract'
import type { Engine } from '../../src/server/create-engine.ts'

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

interface Request {
  readonly body: FormData | string
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Sends a POST request to one of the engine's operations. */
export async function askEngine(
  { url }: Pick<Engine, 'url'>,
  path: string,
  { body, headers = {}, key, signal }: Request,
): Promise<EngineAnswer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    ...(signal === undefined ? {} : { signal }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as EngineAnswer['body'],
  }
}

interface Sent extends Omit<Request, 'body'> {
  readonly file?: File
  readonly options?: object
  /** All parts of the form, in their order, instead of file and options. */
  readonly parts?: Readonly<Record<string, string | File>>
}

export const csvFile = (name = 'people.csv', text = 'name,age\nAda,36\n'): File =>
  new File([text], name, { type: 'text/csv' })

/** Sends one document, as a browser's form would. */
export function parseWith(
  engine: Pick<Engine, 'url'>,
  { file = csvFile(), options, parts, ...more }: Sent,
): Promise<EngineAnswer> {
  const form = new FormData()
  const ofFile = { file, ...(options === undefined ? {} : { options: JSON.stringify(options) }) }
  for (const [name, value] of Object.entries(parts ?? ofFile)) form.append(name, value)
  return askEngine(engine, '/v2/parse', { ...more, body: form })
}
