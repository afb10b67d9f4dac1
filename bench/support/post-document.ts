import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'

export interface Posted {
  readonly status: number
  /** As `Retry-After` says; null without one. */
  readonly retryAfterMs: number | null
}

/** What any client does with a file: read it, send it, write what comes back. */
export async function postDocument(url: string, source: string, file: string, out: string): Promise<Posted> {
  const form = new FormData()
  form.append('file', new Blob([await readFile(join(source, file))], { type: 'text/html' }), file)
  const body = new Response(form)
  const response = await request(`${url}/v2/parse`, {
    method: 'POST',
    headers: { authorization: 'Bearer bench', 'content-type': body.headers.get('content-type') ?? '' },
    body: Buffer.from(await body.arrayBuffer()),
  })
  const answer = (await response.body.json()) as { data?: { markdown?: string } }
  if (response.statusCode === 200) await writeFile(join(out, `${file}.md`), answer.data?.markdown ?? '')
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
  return { status: response.statusCode, retryAfterMs: Number.isNaN(seconds) ? null : seconds * 1000 }
}
