import { createServer, type IncomingMessage } from 'node:http'
import { listen } from './listen.ts'

export interface Page {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Never ends what it answers. */
  readonly isEndless?: boolean
}

/** A site of a test's own on loopback; `pages` may change while it serves. Counts what was asked for. Silent until `from`. */
export async function openSite(
  answer: (path: string, body: string, request: IncomingMessage) => Page | undefined,
  from: Promise<void> = Promise.resolve(),
) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    asked.push(`${request.method} ${request.url}`)
    await from
    const page = answer(request.url ?? '/', Buffer.concat(chunks).toString(), request) ?? { status: 404 }
    response.writeHead(page.status ?? 200, page.headers)
    if (page.isEndless === true) response.write(page.body)
    else response.end(request.method === 'HEAD' ? undefined : page.body)
  })
  return { ...(await listen(server)), asked }
}
