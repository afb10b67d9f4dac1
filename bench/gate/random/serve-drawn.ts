import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assertNever } from '#src/document/assert-never.ts'
import { draw } from './draw.ts'
import { type DrawnAnswer, DrawnService } from './drawn-service.ts'
import { RealTime } from './real-time.ts'

/*
 * node bench/gate/random/serve-drawn.ts SEED FACTOR
 *
 * A drawn service of `POST /v2/parse` in real time, all its times divided by FACTOR, in a process of its own. Documents
 * name themselves: `<!-- document NAME -->`. `POST /begin` starts its time; `GET /report` says what it saw.
 */

/** Slack for the clocks of two processes, milliseconds. */
const CLOCK_MS = 2

const drawn = draw(Number(process.argv[2]))
const factor = Number(process.argv[3])
const time = new RealTime(factor)
const service = new DrawnService(time, drawn)
const report = { sent: 0, done: 0, refused: 0, undercut: 0 }
const notBefore = new Map<string, number>()

interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

const TEXTS = { rate: 'Rate limit exceeded', concurrency: 'Concurrency limit reached' } as const

function httpAnswer(answer: DrawnAnswer, document: string): HttpAnswer {
  switch (answer.status) {
    case 200: {
      const queued = answer.queuedMs === null || answer.queuedMs === 0 ? null : answer.queuedMs / factor
      const place = queued === null ? {} : { concurrencyLimited: true, concurrencyQueueDurationMs: queued }
      const metadata = { statusCode: 200, creditsUsed: 1, ...place }
      return { status: 200, headers: {}, body: { success: true, data: { markdown: `# ${document}\n`, metadata } } }
    }
    case 408:
      return failure(408, 'The request timed out', null, { code: 'SCRAPE_TIMEOUT' })
    case 429:
      return failure(429, answer.limit === null ? 'Too many requests' : TEXTS[answer.limit], answer.retryAfterMs)
    case 503:
      return failure(503, 'Service Unavailable', answer.retryAfterMs)
    default:
      return assertNever(answer)
  }
}

function failure(status: number, error: string, retryAfterMs: number | null, more: object = {}): HttpAnswer {
  const body = { success: false, error, ...more }
  if (retryAfterMs === null) return { status, headers: {}, body }
  const isPast = retryAfterMs === 0 && drawn.retryAfter === 'past'
  const seconds = (retryAfterMs / factor / 1000).toFixed(3)
  return { status, headers: { 'retry-after': isPast ? new Date(0).toUTCString() : seconds }, body }
}

function note(document: string, { status, headers }: HttpAnswer): void {
  if (status === 200) report.done += 1
  if (status !== 429) return
  report.refused += 1
  const told = Number(headers['retry-after'])
  if (told > 0) notBefore.set(document, performance.now() + 1000 * told)
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const reply = ({ status, headers, body }: HttpAnswer): void => {
    response.writeHead(status, { ...headers, 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  if (request.url === '/begin') {
    time.begin()
    return reply({ status: 200, headers: {}, body: {} })
  }
  if (request.url === '/report') return reply({ status: 200, headers: {}, body: report })
  if (request.url !== '/v2/parse') return reply(failure(404, 'Not Found', null))
  const document = /<!-- document (\S+) -->/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? ''
  report.sent += 1
  if (performance.now() + CLOCK_MS < (notBefore.get(document) ?? 0)) report.undercut += 1
  service.request((answer) => {
    const http = httpAnswer(answer, document)
    note(document, http)
    reply(http)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`))
