import type { Failure } from '#src/document/failure.ts'
import { type Counts, NO_COUNTS } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import type { Notice } from '#src/observe/outage-text.ts'
import { Pace } from '#src/observe/pace.ts'
import type { Tally } from '#src/observe/tally.ts'
import { withTimeout } from '#src/observe/with-timeout.ts'
import type { WorkState } from '#workers/pipeline/work-state.ts'
import { count, duration, oneLine, plural, rate, shownName } from './format.ts'
import type { Output } from './output.ts'
import { screen } from './screen.ts'

/** Redraw interval of a terminal, and interval of lines without one. */
const REDRAW_MS = 250
const LINE_MS = 5_000

/** Time limit of one reading of the counts in Redis. */
const ANSWER_MS = 1_000

interface ProgressOptions {
  readonly output: Output
  readonly tally: Tally
  readonly activity: Activity
  readonly counts: () => Promise<Counts>
  readonly workState: () => Promise<WorkState>
  /** Documents listed so far; null when no listing is in progress. */
  readonly listed?: () => number | null
}

/**
 * Shows the work: live lines on a terminal, elsewhere a line every five seconds after a change. Disposal restores the
 * terminal.
 */
export function startProgress(options: ProgressOptions): Disposable {
  const { output } = options
  if (output.quiet) return { [Symbol.dispose]: () => undefined }
  const startedAt = performance.now()
  const cached = { ...options, counts: lastKnown(options.counts), pace: new Pace() }
  const live = screen.isTerminal && !output.json
  let last = ''
  let stopped = false
  const show = async (): Promise<void> => {
    const view = await viewOf(cached)
    if (stopped) return
    if (live) return screen.show(liveLines(view, screen.columns))
    const { settled, total, failed, retries, throttled } = view
    const named = timesNamed(view) === 0 ? [] : [timesNamed(view), view.longest?.key]
    const state = JSON.stringify([settled, total, failed, retries, throttled, gateText(view), ...named])
    if (state === last) return
    last = state
    output.event('progress', () => progressEvent(view, performance.now() - startedAt), lineOf(view))
  }
  let showing: Promise<void> | null = null
  // Single flight: a slow Redis must not let redraws pile up. A failed redraw is skipped.
  const redraw = (): void => {
    showing ??= show()
      .catch(() => undefined)
      .finally(() => (showing = null))
  }
  const timer = setInterval(redraw, live ? REDRAW_MS : LINE_MS)
  if (live) redraw()
  return {
    [Symbol.dispose]() {
      stopped = true
      clearInterval(timer)
      screen.clear()
    },
  }
}

const gateText = ({ notices }: View): string | null => notices.map(noticeText).join('; ') || null

const progressEvent = (view: View, elapsedMs: number): object => ({
  settled: view.settled,
  total: view.total,
  pages: view.pages,
  failed: view.failed,
  retries: view.retries,
  throttled: view.throttled,
  elapsedMs: Math.round(elapsedMs),
  gate: gateText(view),
})

/** Falls back to the last known counts while Redis does not answer: the view can still report the outage. */
function lastKnown(counts: () => Promise<Counts>): () => Promise<Counts> {
  let known: Counts = NO_COUNTS
  return async () => (known = (await withTimeout(counts(), ANSWER_MS)) ?? known)
}

async function viewOf(options: ProgressOptions & { readonly pace: Pace }): Promise<View> {
  const { tally, activity, counts, workState, listed, pace } = options
  const { pending, ...ended } = await counts()
  const state = await workState()
  pace.note(ended.done + ended.partial + ended.failed, performance.now(), state)
  const settled = Object.values(ended).reduce((sum, value) => sum + value, 0)
  return {
    settled,
    total: settled + pending,
    pages: tally.pages,
    failed: ended.failed,
    retries: tally.retries,
    throttled: tally.throttled,
    perSecond: pace.perMs * 1000,
    leftMs: pace.leftMs(pending, state),
    notices: state.notices,
    listed: listed?.() ?? null,
    longest: activity.longest(),
    lastFailure: activity.lastFailure(),
  }
}

/** Threshold above which a request is named. */
const LONG_MS = 3_000

const WIDEST_BAR = 24
const NARROWEST_BAR = 8

/** Progress at one moment. */
interface View {
  readonly settled: number
  readonly total: number
  readonly pages: number
  readonly failed: number
  readonly retries: number
  readonly throttled: number
  /** Rate over the last minute; the time left has the same window. Null if unknown. */
  readonly perSecond: number
  readonly leftMs: number | null
  readonly notices: readonly Notice[]
  /** Documents listed so far; null after the listing, or without one. */
  readonly listed?: number | null
  readonly longest?: { readonly key: string; readonly ms: number } | null
  readonly lastFailure?: { readonly key: string; readonly failure: Failure } | null
}

/** The parts of a view, the most important first. */
function partsOf(view: View): string[] {
  const { listed = null, leftMs, perSecond } = view
  // Unlisted documents take time too.
  const about = listed === null ? 'about' : 'at least'
  return [
    `${count(view.settled)} of ${plural(view.total, 'document')}`,
    ...(leftMs === null ? [] : [`${about} ${duration(Math.max(leftMs, 1000))} left`]),
    ...(listed === null ? [] : [`listing: ${count(listed)} so far`]),
    ...(view.failed > 0 ? [`${count(view.failed)} failed`] : []),
    ...(perSecond > 0 ? [rate(perSecond)] : []),
    ...(view.throttled > 0 ? [`${count(view.throttled)} throttled`] : []),
    ...(view.retries > 0 ? [`${count(view.retries)} ${view.retries === 1 ? 'retry' : 'retries'}`] : []),
    ...(view.pages > 0 ? [plural(view.pages, 'page')] : []),
  ]
}

/** Interval without a terminal after which the longest request is named, and named again. */
const NAMED_EVERY_MS = 30_000

/** Number of times that the longest request has been due to be named. */
const timesNamed = ({ longest }: View): number => Math.floor((longest?.ms ?? 0) / NAMED_EVERY_MS)

/** A single line for a log or a pipe. */
export function lineOf(view: View): string {
  const { longest, notices } = view
  const waiting =
    longest && timesNamed(view) > 0
      ? [`waiting for ${shownName(longest.key)} (request sent ${duration(longest.ms)} ago)`]
      : []
  return [...partsOf(view), ...waiting, notices.map(noticeText).join('; ')].filter((part) => part !== '').join(', ')
}

export const noticeText = ({ parts, cause }: Notice): string =>
  `${parts.join(', ')}${cause === null ? '' : `: ${oneLine(cause)}`}`

/** Shortest cause that is informative, in characters. */
const SHORTEST_CAUSE = 12

/** Lines of at most `columns` that lose no part; the text of the cause is cut or omitted. */
function noticeLines({ parts, cause }: Notice, columns: number): string[] {
  const lines: string[] = []
  for (const word of parts.join(', ').split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= columns) lines.splice(-1, 1, `${line} ${word}`)
    else lines.push(`${lines.length === 0 ? '' : '  '}${word}`)
  }
  const last = lines.at(-1) ?? ''
  const free = columns - last.length - 2
  if (cause !== null && free >= SHORTEST_CAUSE) lines.splice(-1, 1, `${last}: ${oneLine(cause, free)}`)
  return lines
}

/** Live lines for a terminal of `columns`: the first always contains the time left. */
export function liveLines(view: View, columns: number): string[] {
  const parts = partsOf(view)
  let line = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (line.length + part.length + 2 < columns) line += `, ${part}`
  }
  const free = Math.min(columns - line.length - 3, WIDEST_BAR)
  const first = free >= NARROWEST_BAR ? `${barOf(view, free)} ${line}` : line
  const { longest, lastFailure } = view
  return [
    first,
    ...view.notices.flatMap((notice) => noticeLines(notice, columns - 3)).map((text) => `  ${text}`),
    ...(longest && longest.ms > LONG_MS
      ? [`  longest request: ${duration(longest.ms)}, ${shownName(longest.key)}`]
      : []),
    ...(lastFailure ? [`  last failure: ${shownName(lastFailure.key)}: ${oneLine(lastFailure.failure.message)}`] : []),
  ]
}

function barOf({ settled, total }: View, width: number): string {
  const filled = total > 0 ? Math.floor((settled / total) * width) : 0
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`
}

/** Activity for a person who sees no progress: the longest request in flight, and the last failure. */
export interface Activity {
  /** The request that has been in flight for the longest time. */
  longest(): { readonly key: string; readonly ms: number } | null
  lastFailure(): { readonly key: string; readonly failure: Failure } | null
  /** Documents that a scan has listed so far. */
  listed(): number
}

export function activityOf(...sources: readonly Events[]): Activity {
  const inFlight = new Map<string, number>()
  let failed: ReturnType<Activity['lastFailure']> = null
  let listed = 0
  for (const events of sources) {
    events.on('document:seen', () => (listed += 1))
    events.on('request:begun', ({ key }) => inFlight.set(key, performance.now()))
    events.on('request:answered', ({ key }) => inFlight.delete(key))
    events.on('request:lost', ({ key }) => inFlight.delete(key))
    events.on('request:withdrawn', ({ key }) => inFlight.delete(key))
    events.on('document:settled', ({ key, failure }) => {
      inFlight.delete(key)
      if (failure !== null) failed = { key, failure }
    })
  }
  return {
    longest() {
      const [first] = inFlight
      return first === undefined ? null : { key: first[0], ms: performance.now() - first[1] }
    },
    lastFailure: () => failed,
    listed: () => listed,
  }
}
