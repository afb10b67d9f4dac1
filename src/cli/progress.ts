import { type Counts, NO_COUNTS } from '#src/document/outcome.ts'
import type { Tally } from '#src/observe/tally.ts'
import { within } from '#src/observe/within.ts'
import type { Activity } from './activity.ts'
import type { Output } from './output.ts'
import { lineOf, liveLines, timesNamed, type View } from './progress-lines.ts'
import { screen } from './screen.ts'

/** How often a terminal is redrawn, and a line is written where there is none. */
const REDRAW_MS = 250
const LINE_MS = 5_000

/** Time limit of one reading of the counts in Redis. */
const ANSWER_MS = 1_000

export interface ProgressOptions {
  readonly output: Output
  readonly tally: Tally
  readonly activity: Activity
  readonly counts: () => Promise<Counts>
  /** What the gate is doing, in one short sentence; null when nothing is worth saying. */
  readonly gateLine: () => Promise<string | null>
  /** Documents listed so far; null when no listing is in progress. */
  readonly listed?: () => number | null
}

/**
 * Shows the work: live lines on a terminal, a line every five seconds elsewhere when something changed. Disposing leaves
 * the terminal as it was.
 */
export function startProgress(options: ProgressOptions): Disposable {
  const { output } = options
  if (output.quiet) return { [Symbol.dispose]: () => undefined }
  const startedAt = performance.now()
  const cached = { ...options, counts: lastKnown(options.counts) }
  const live = screen.isTerminal && !output.json
  let last = ''
  let stopped = false
  const show = async (): Promise<void> => {
    const view = await viewOf(cached, startedAt)
    if (stopped) return
    if (live) return screen.show(liveLines(view, screen.columns))
    const { settled, total, failed, retries, throttled, gateLine } = view
    const named = timesNamed(view) === 0 ? [] : [timesNamed(view), view.longest?.key]
    const state = JSON.stringify([settled, total, failed, retries, throttled, gateLine, ...named])
    if (state === last) return
    last = state
    output.event('progress', () => progressEvent(view), lineOf(view))
  }
  let showing: Promise<void> | null = null
  // Single flight: a slow Redis must not let redraws pile up. A redraw that fails is skipped.
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

const progressEvent = ({ settled, total, pages, failed, retries, throttled, elapsedMs, gateLine }: View): object => ({
  settled,
  total,
  pages,
  failed,
  retries,
  throttled,
  elapsedMs: Math.round(elapsedMs),
  gate: gateLine,
})

/** While Redis does not answer, the view goes on with what it last said, and can say that it is away. */
function lastKnown(counts: () => Promise<Counts>): () => Promise<Counts> {
  let known: Counts = NO_COUNTS
  return async () => (known = (await within(counts(), ANSWER_MS)) ?? known)
}

async function viewOf(options: ProgressOptions, startedAt: number): Promise<View> {
  const { tally, activity, counts, gateLine, listed } = options
  const { pending, ...ended } = await counts()
  const settled = Object.values(ended).reduce((sum, value) => sum + value, 0)
  return {
    settled,
    total: settled + pending,
    pages: tally.pages,
    failed: ended.failed,
    retries: tally.retries,
    throttled: tally.throttled,
    elapsedMs: performance.now() - startedAt,
    settledHere: Object.values(tally.settled).reduce((sum, value) => sum + value, 0),
    gateLine: await gateLine(),
    listed: listed?.() ?? null,
    longest: activity.longest(),
    lastFailure: activity.lastFailure(),
  }
}
