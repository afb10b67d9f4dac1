import { destination, type Level, type Logger, pino } from 'pino'
import type { Events } from '#src/events.ts'
import type { OutageChange } from './dependency-monitor.ts'

export interface LogOptions {
  readonly level: Level | 'silent'
  /** A file, made with its folders when missing, or `-` for standard error. */
  readonly file: string
}

/** One JSON object a line. Synchronous, so that the last lines before a crash are there. */
export function openLog({ level, file }: LogOptions): Logger {
  const stream =
    file === '-' ? destination({ dest: 2, sync: true }) : destination({ dest: file, mkdir: true, sync: true })
  return pino({ level, base: { pid: process.pid } }, stream)
}

/** Once for each cause of an outage, and once when it is over. */
export function logOutage(change: OutageChange, log: Logger): void {
  const { dependency, pipeline, cause } = change.outage
  const line = { dependency, pipeline: pipeline ?? undefined, cause }
  if (change.kind === 'failing') log.warn(line, 'dependency unavailable')
  else log.info({ ...line, afterMs: Math.round(change.afterMs) }, 'dependency works again')
}

/** The log of what happened, one line an event. Keys of documents are in it, their text never is. */
export function logEvents(events: Events, log: Logger): void {
  events.on('document:settled', ({ key, outcome, again, failure, problems, cost, durationMs }) => {
    if (again) return log.debug({ key, outcome }, 'document delivered again')
    const line = { key, outcome, ms: Math.round(durationMs), credits: cost?.credits, failure: failure ?? undefined }
    if (outcome === 'failed') log.warn(line, 'document failed')
    else log.info(problems.length > 0 ? { ...line, problems } : line, 'document settled')
  })
  events.on('document:postponed', (event) => log.debug(event, 'document postponed'))
  events.on('request:answered', (event) =>
    log.debug({ ...event, durationMs: Math.round(event.durationMs) }, 'answered'),
  )
  events.on('request:throttled', (event) => log.info(event, 'request refused by a limit'))
  events.on('answer:spooled', (event) => log.warn(event, 'answer spooled'))
  events.on('answer:lost', ({ key, error }) => log.error({ key, err: error }, 'paid answer lost'))
  events.on('receipt:reused', (event) => log.debug(event, 'receipt reused'))
  events.on('stage:failed', ({ key, stage, error }) => log.error({ key, stage, err: error }, 'stage failed'))
  events.on('process:error', ({ key, error }) => log.error({ key, err: error }, 'error'))
  events.on('schedule:due', (event) => log.info(event, 'scan due'))
  events.on('scan:finished', (event) => log.info(event, 'scan finished'))
  events.on('redis:lost', ({ kind }) => {
    if (kind === 'data') log.warn('Redis lost data; the ledger is rebuilt from the store and the source scanned again')
    else log.info('Redis was restarted or failed over; the source is scanned again')
  })
  events.on('scan:again', (event) => log.info(event, 'scan begins again'))
  events.on('run:halted', (event) => log.error(event, 'run halted'))
}
