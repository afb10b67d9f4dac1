import { SingleBar } from 'cli-progress'
import { type Counts, NO_COUNTS } from '#src/document/outcome.ts'
import type { Tally } from '#src/observe/tally.ts'
import { within } from '#src/observe/within.ts'
import { count, duration, rate } from './format.ts'

/** How often a terminal is redrawn, and a line is written where there is none. */
const REDRAW_MS = 250
const LINE_MS = 5_000

/** How long a look waits for Redis. */
const ANSWER_MS = 1_000

export interface ProgressOptions {
  readonly stream: NodeJS.WriteStream
  readonly tally: Tally
  readonly counts: () => Promise<Counts>
  /** What the gate is doing, in one short sentence; null when nothing is worth saying. */
  readonly gateLine: () => Promise<string | null>
}

export interface Progress {
  /** Shows the last state and leaves the terminal as it was. */
  stop(): void
}

/** What one look at the run shows: pure, so that the text can be tested. */
export interface View {
  readonly settled: number
  readonly total: number
  readonly pages: number
  readonly failed: number
  readonly retries: number
  readonly throttled: number
  readonly elapsedMs: number
  /** Settled since this process started: the rate must not count what an earlier run did. */
  readonly settledHere: number
  readonly gateLine: string | null
}

export function lineOf(view: View): string {
  const perSecond = view.elapsedMs > 0 ? (view.settledHere / view.elapsedMs) * 1000 : 0
  const left = view.total - view.settled
  const eta = perSecond > 0 && left > 0 ? `, about ${duration((left / perSecond) * 1000)} left` : ''
  const notes = [
    `${count(view.pages)} pages`,
    rate(perSecond),
    ...(view.failed > 0 ? [`${count(view.failed)} failed`] : []),
    ...(view.retries > 0 ? [`${count(view.retries)} retries`] : []),
    ...(view.throttled > 0 ? [`${count(view.throttled)} throttled`] : []),
    ...(view.gateLine === null ? [] : [view.gateLine]),
  ]
  return `${count(view.settled)} of ${count(view.total)} documents, ${notes.join(', ')}${eta}`
}

export function startProgress(options: ProgressOptions): Progress {
  const startedAt = performance.now()
  const onTerminal = options.stream.isTTY
  const bar = onTerminal ? terminalBar(options.stream) : null
  const looked = { ...options, counts: lastKnown(options.counts) }
  const show = async (): Promise<void> => {
    const view = await viewOf(looked, startedAt)
    if (bar === null) options.stream.write(`${lineOf(view)}\n`)
    else {
      bar.setTotal(Math.max(view.total, 1))
      bar.update(view.settled, { line: lineOf(view) })
    }
  }
  let showing: Promise<void> | null = null
  const timer = setInterval(
    () => {
      // A slow Redis must not let looks pile up; a look that fails is a look that is not shown.
      showing ??= show()
        .catch(() => undefined)
        .finally(() => (showing = null))
    },
    onTerminal ? REDRAW_MS : LINE_MS,
  )
  return {
    stop() {
      clearInterval(timer)
      bar?.stop()
    },
  }
}

/** While Redis does not answer, the view goes on with what it last said, and can say that it is away. */
function lastKnown(counts: () => Promise<Counts>): () => Promise<Counts> {
  let known: Counts = NO_COUNTS
  return async () => (known = (await within(counts(), ANSWER_MS)) ?? known)
}

function terminalBar(stream: NodeJS.WriteStream): SingleBar {
  const bar = new SingleBar({
    format: ' {bar} {line}',
    barsize: 20,
    hideCursor: true,
    stream,
    clearOnComplete: true,
    stopOnComplete: false,
    linewrap: false,
  })
  bar.start(1, 0, { line: 'starting' })
  return bar
}

async function viewOf({ tally, counts, gateLine }: ProgressOptions, startedAt: number): Promise<View> {
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
  }
}
