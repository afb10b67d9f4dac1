import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { request } from 'undici'

export interface SentAnswer {
  readonly status: number
  /** The contract's code of an error, else empty. */
  readonly code: string
  readonly markdown: string
  /** PDF only: the text of all blocks of each page, running headers among them. */
  readonly pages: readonly { readonly pageNumber: number; readonly text: string }[]
  /** The warning of the document, and each page that is not `ok`. */
  readonly problems: readonly string[]
  readonly seconds: number
}

const TIMEOUT_MS = 60_000

/** Parses one file with the engine, with blocks. */
export async function send(url: string, path: string, mode: string): Promise<SentAnswer> {
  const isPdf = path.toLowerCase().endsWith('.pdf')
  const options = {
    timeout: TIMEOUT_MS,
    ...(isPdf ? { parsers: [{ type: 'pdf', mode, blocks: true }] } : {}),
  }
  const form = new FormData()
  form.append('file', new Blob([readFileSync(path)]), basename(path))
  form.append('options', JSON.stringify(options))
  const body = new Response(form)
  const began = performance.now()
  const response = await request(`${url}/v2/parse`, {
    method: 'POST',
    headers: { authorization: 'Bearer bench', 'content-type': body.headers.get('content-type') ?? '' },
    body: Buffer.from(await body.arrayBuffer()),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const answer = (await response.body.json()) as Answer
  const data = answer.data ?? {}
  const blocks = data.blocks ?? []
  const bad = blocks.filter(({ status }) => status !== 'ok').map(({ pageNumber, status }) => `${pageNumber} ${status}`)
  return {
    status: response.statusCode,
    code: answer.code ?? '',
    markdown: data.markdown ?? '',
    pages: blocks.map(({ pageNumber, items }) => ({
      pageNumber,
      text: items.map(({ content }) => content).join('\n'),
    })),
    problems: [...(data.warning ? [data.warning] : []), ...bad],
    seconds: (performance.now() - began) / 1000,
  }
}

interface Answer {
  readonly code?: string
  readonly data?: {
    readonly markdown?: string
    readonly warning?: string | null
    readonly blocks?:
      | readonly {
          readonly pageNumber: number
          readonly status: string
          readonly items: readonly { readonly content: string }[]
        }[]
      | null
  }
}
