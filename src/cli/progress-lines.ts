import type { Failure } from '#src/document/failure.ts'
import type { Notice } from '#src/observe/outage-text.ts'
import { count, duration, oneLine, shownName, rate } from './format.ts'

/** A request that takes longer than this is named. */
const LONG_MS = 3_000

const WIDEST_BAR = 24
const NARROWEST_BAR = 8

/** Progress at one moment. */
export interface View {
  readonly settled: number
  readonly total: number
  readonly pages: number
  readonly failed: number
  readonly retries: number
  readonly throttled: number
  /** Over the last minute, as is the time left; null where that cannot be known. */
  readonly perSecond: number
  readonly leftMs: number | null
  readonly notices: readonly Notice[]
  /** Documents listed so far; null once the listing has ended, and where there is none. */
  readonly listed?: number | null
  readonly longest?: { readonly key: string; readonly ms: number } | null
  readonly lastFailure?: { readonly key: string; readonly failure: Failure } | null
}

/** The parts of a view, the most important first. */
function partsOf(view: View): string[] {
  const { listed = null, leftMs, perSecond } = view
  // What is not listed yet takes time too.
  const about = listed === null ? 'about' : 'at least'
  return [
    `${count(view.settled)} of ${count(view.total)} documents`,
    ...(leftMs === null ? [] : [`${about} ${duration(Math.max(leftMs, 1000))} left`]),
    ...(listed === null ? [] : [`listing: ${count(listed)} so far`]),
    ...(view.failed > 0 ? [`${count(view.failed)} failed`] : []),
    ...(perSecond > 0 ? [rate(perSecond)] : []),
    ...(view.throttled > 0 ? [`${count(view.throttled)} throttled`] : []),
    ...(view.retries > 0 ? [`${count(view.retries)} retries`] : []),
    ...(view.pages > 0 ? [`${count(view.pages)} pages`] : []),
  ]
}

/** Without a terminal it is named after so long, and again each time that it has taken as long once more. */
const NAMED_EVERY_MS = 30_000

/** How often the document that is waited for has been due to be named. */
export const timesNamed = ({ longest }: View): number => Math.floor((longest?.ms ?? 0) / NAMED_EVERY_MS)

/** One line for a log or a pipe. */
export function lineOf(view: View): string {
  const { longest, notices } = view
  const waiting =
    longest && timesNamed(view) > 0 ? [`waiting for ${shownName(longest.key)} (${duration(longest.ms)})`] : []
  return [...partsOf(view), ...waiting, notices.map(noticeText).join('; ')].filter((part) => part !== '').join(', ')
}

export const noticeText = ({ parts, cause }: Notice): string =>
  `${parts.join(', ')}${cause === null ? '' : `: ${oneLine(cause)}`}`

/** A cause shorter than this says nothing. */
const SHORTEST_CAUSE = 12

/** Lines of at most so many columns that lose no part; the text of the cause is cut, or left out. */
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

/** Live lines for a terminal of so many columns: the first never loses the time left, whatever its width. */
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
