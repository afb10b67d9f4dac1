import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export interface ServedDocuments {
  /** `POST /begin`: its time begins. */
  readonly begin: () => void
  /** `GET /report`: what it saw. */
  readonly report: () => object
  /** `POST /v2/parse`. Documents name themselves: `<!-- document NAME -->`. */
  readonly parse: (document: string) => Promise<HttpAnswer>
}

const NOT_FOUND: HttpAnswer = { status: 404, headers: {}, body: { success: false, error: 'Not Found' } }
const ok = (body: object): HttpAnswer => ({ status: 200, headers: {}, body })

/** Serves in a process of its own, which says `listening PORT`: the real HTTP of a service whose answers are computed. */
export function serveDocuments({ begin, report, parse }: ServedDocuments): void {
  const answerTo = async (path: string | undefined, content: Buffer): Promise<HttpAnswer> => {
    if (path === '/begin') return ok((begin(), {}))
    if (path === '/report') return ok(report())
    if (path !== '/v2/parse') return NOT_FOUND
    return parse(/<!-- document (\S+) -->/.exec(content.toString('latin1'))?.[1] ?? '')
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { status, headers, body } = await answerTo(request.url, Buffer.concat(chunks))
    const text = Buffer.from(JSON.stringify(body))
    response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': text.length })
    response.end(text)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`))
}
