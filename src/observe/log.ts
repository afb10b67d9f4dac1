import { hostname } from 'node:os'
import { type Level, type Logger, pino } from 'pino'
import type { Events } from '#src/events.ts'
import type { OutageChange } from './dependency-monitor.ts'
import { LogFile } from './log-file.ts'
import { runId } from './run-id.ts'

export interface LogOptions {
  readonly level: Level | 'silent'
  /** A file, created with its folders if missing, or `-` for standard error. */
  readonly file: string
  /** Version of Sluice. */
  readonly version: string
  /** Called with a line when the log is not writable. */
  readonly say: (line: string) => void
}

/**
 * Opens a log with a JSON object per line, which names its origin: host, process, run (an id of this process's life)
 * and version.
 */
export function openLog({ level, file, version, say }: LogOptions): Logger {
  const isRepeated = repeatFilter()
  const stream = new LogFile({
    file,
    onFailed: ({ code, message }) => {
      const cause = code ?? message
      if (file !== '-' && !isRepeated(cause))
        say(`the log ${file} cannot be written (${cause}); the work continues without a log`)
    },
    onMissing: (lines) => log.warn({ lines }, 'lines missing: the log could not be written'),
  })
  const base = { host: hostname(), pid: process.pid, run: runId(), version }
  const formatters = { level: (label: string) => ({ level: label }) }
  const log = pino({ level, base, formatters, timestamp: () => `,"time":"${new Date().toISOString()}"` }, stream)
  return log
}

/** Logs each cause of an outage once, and its end once. */
export function logOutage(change: OutageChange, log: Logger): void {
  const { dependency, service, pipeline, cause } = change.outage
  const line = { dependency, service, pipeline: pipeline ?? undefined, cause }
  if (change.kind === 'failing') log.warn(line, 'dependency unavailable')
  else log.info({ ...line, afterMs: Math.round(change.afterMs) }, 'dependency works again')
}

/**
 * Logs events, a line each. At `info` each document has a line at its end, with its request, and each request without a
 * document has a line. At `debug` every step of a document has one. Lines hold keys of documents, never their text.
 */
export function logEvents(events: Events, log: Logger): void {
  logDocuments(events, log)
  logRequests(events, log)
  events.on('stage:failed', ({ key, stage, error }) => log.error({ key, stage, err: error }, 'stage failed'))
  events.on('process:error', ({ key, error }) => log.error({ key, err: error }, 'error'))
  events.on('schedule:due', (event) => log.info(event, 'scan due'))
  events.on('scan:finished', (event) => log.info(event, 'scan finished'))
  events.on('rules:unmatched', (event) => log.warn(event, 'globs of rules match no document'))
  events.on('never-send:unmatched', (event) => log.warn(event, 'globs of never-send match no document'))
  events.on('source:listed', () => log.debug('source listed'))
  events.on('redis:lost', ({ kind }) => {
    if (kind === 'data') log.warn('Redis lost data; the ledger is rebuilt from the store and the source scanned again')
    else log.info('Redis was restarted or failed over; the source is scanned again')
  })
  events.on('scan:again', (event) => log.info(event, 'scan restarted'))
  const isRepeated = repeatFilter()
  events.on('run:halted', (event) => log[isRepeated(event.message) ? 'debug' : 'error'](event, 'run halted'))
}

/**
 * Throttle of repeated lines: each document reports a halt, each line a full disk, and the log takes one per interval.
 */
const REPEAT_MS = 60_000

function repeatFilter(): (message: string) => boolean {
  let last = { message: '', at: -Infinity }
  return (message) => {
    if (message === last.message && performance.now() - last.at < REPEAT_MS) return true
    last = { message, at: performance.now() }
    return false
  }
}

function logDocuments(events: Events, log: Logger): void {
  events.on('document:enqueued', ({ key }) => log.debug({ key }, 'document enqueued'))
  events.on('document:started', ({ key, attempt }) => log.debug({ key, attempt }, 'document claimed'))
  events.on('document:postponed', ({ key, counted, afterMs, reason }) =>
    log.debug({ key, counted, afterMs: Math.round(afterMs), reason }, 'document returned to the queue'),
  )
  events.on('document:committed', (event) => log.debug(event, 'document committed'))
  events.on('document:settled', (event) => {
    const { key, outcome, failure, problems, cost, durationMs, requestId, contentHash, attempts } = event
    if (event.again) return log.debug({ key, outcome }, 'document already settled, delivered again')
    const line = {
      key,
      outcome,
      ms: Math.round(durationMs),
      credits: cost?.credits,
      attempt: attempts,
      requestId: requestId ?? undefined,
      contentHash: contentHash ?? undefined,
      failure: failure ?? undefined,
    }
    if (outcome === 'failed') log.warn(line, 'document failed')
    else log.info(problems.length > 0 ? { ...line, problems } : line, 'document settled')
  })
  events.on('receipt:reused', (event) => log.debug(event, 'receipt reused'))
}

function logRequests(events: Events, log: Logger): void {
  events.on('request:waiting', (event) => log.debug(event, 'request waits for credits and the limiter'))
  events.on('request:sent', (event) => log.debug(event, 'request sent'))
  events.on('request:withdrawn', (event) => log.debug(event, 'request withdrawn'))
  events.on('request:lost', (event) => log.warn(event, 'request without an answer, may be charged'))
  events.on('request:answered', ({ key, verdict, requestId, durationMs, bytes }) => {
    const line = { key, verdict, requestId: requestId ?? undefined, ms: Math.round(durationMs), bytes }
    // A refusal has a line of its own.
    log[verdict === 'parsed' || verdict === 'throttled' ? 'debug' : 'info'](line, 'request answered')
  })
  events.on('request:throttled', ({ key, requestId, limit, retryAfterMs }) =>
    log.info({ key, requestId: requestId ?? undefined, limit, retryAfterMs }, 'request refused by a limit'),
  )
  events.on('answer:spooled', (event) => log.warn(event, 'paid answer saved in the spool, because the store failed'))
  events.on('answer:lost', ({ key, error }) => log.error({ key, err: error }, 'paid answer lost'))
}
