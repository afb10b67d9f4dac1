import { type Counts, NO_COUNTS } from '#src/document/outcome.ts'
import type { Tally } from '#src/observe/tally.ts'
import { Pace } from '#src/observe/pace.ts'
import { within } from '#src/observe/within.ts'
import type { WorkState } from '#workers/work-state.ts'
import type { Activity } from './activity.ts'
import type { Output } from './output.ts'
import { lineOf, liveLines, noticeText, timesNamed, type View } from './progress-lines.ts'
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
  readonly workState: () => Promise<WorkState>
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

/** While Redis does not answer, the view goes on with what it last said, and can say that it is away. */
function lastKnown(counts: () => Promise<Counts>): () => Promise<Counts> {
  let known: Counts = NO_COUNTS
  return async () => (known = (await within(counts(), ANSWER_MS)) ?? known)
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
