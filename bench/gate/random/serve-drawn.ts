import { assertNever } from '#src/document/assert-never.ts'
import { draw } from './draw.ts'
import { type DrawnAnswer, DrawnService } from './drawn-service.ts'
import { RealTime } from './real-time.ts'
import { type HttpAnswer, serveDocuments } from '../serve-documents.ts'

/*
 * node bench/gate/random/serve-drawn.ts SEED FACTOR
 *
 * A drawn service of `POST /v2/parse` in real time, all its times divided by FACTOR, in a process of its own.
 */

/** Slack for the clocks of two processes, milliseconds. */
const CLOCK_MS = 2

const drawn = draw(Number(process.argv[2]))
const factor = Number(process.argv[3])
const time = new RealTime(factor)
const service = new DrawnService(time, drawn)
const report = { sent: 0, done: 0, refused: 0, undercut: 0 }
const notBefore = new Map<string, number>()

const TEXTS = { rate: 'Rate limit exceeded', concurrency: 'Concurrency limit reached' } as const

function httpAnswer(answer: DrawnAnswer, document: string): HttpAnswer {
  switch (answer.status) {
    case 200: {
      const queued = answer.queuedMs === null || answer.queuedMs === 0 ? null : answer.queuedMs / factor
      const queueing = queued === null ? {} : { concurrencyLimited: true, concurrencyQueueDurationMs: queued }
      const metadata = { statusCode: 200, creditsUsed: 1, ...queueing }
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

serveDocuments({
  begin: () => time.begin(),
  report: () => report,
  parse: (document) => {
    report.sent += 1
    if (performance.now() + CLOCK_MS < (notBefore.get(document) ?? 0)) report.undercut += 1
    return new Promise((resolve) => {
      service.request((answer) => {
        const http = httpAnswer(answer, document)
        note(document, http)
        resolve(http)
      })
    })
  },
})
