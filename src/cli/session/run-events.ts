import { redactLogin } from '#config/secrets.ts'
import type { Settings } from '#config/settings.ts'
import { seen } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import { redactUrl } from '#src/redis/connection.ts'
import type { StopNotices } from '#workers/process/lifecycle.ts'
import { oneLine, shownName } from '../print/format.ts'
import type { Output } from '../print/output.ts'
import { endedElsewhere, endedHere, type SummaryInput, unchanged } from '../print/summary.ts'
import type { Say, Target } from './targets.ts'

/** Reports source, store and services of a run. */
export function reportBegun({ name, source, settings: { out, parseApiUrl, redisUrl } }: Target, output: Output): void {
  const begun = {
    source: redactLogin(source),
    store: out,
    parser: parseApiUrl === undefined ? 'embedded engine' : redactLogin(parseApiUrl),
    queue: redisUrl === undefined ? 'private Redis' : redactUrl(redisUrl),
  }
  const line = Object.entries(begun).map(([what, value]) => `${what} ${shownName(value)}`)
  const named = name === null ? {} : { pipeline: name }
  output.event('begun', () => ({ ...named, ...begun }), `${name === null ? '' : `${name}: `}${line.join(', ')}`)
}

/** Budgets without an effect: the embedded engine charges nothing. */
export function unusedBudgetLines({ parseApiUrl, services, maxCredits, monthlyCredits }: Settings): string[] {
  if (parseApiUrl !== undefined || Object.keys(services).length > 0) return []
  const budgets = { '--max-credits': maxCredits, '--monthly-credits': monthlyCredits }
  return Object.entries(budgets).flatMap(([flag, budget]) =>
    budget === undefined ? [] : [`${flag} has no effect: the embedded engine charges nothing`],
  )
}

/** Reports each document as it ends: an event with --json, a line with --verbose. */
export function reportDocuments(events: Events, output: Output, pipeline: string | null): void {
  if (!output.json && !output.verbose) return
  const named = pipeline === null ? {} : { pipeline }
  events.on('document:settled', ({ key, outcome, again, failure, cost, pages, durationMs, attempts, problems }) => {
    if (again) return
    const reason = failure === null ? problems.join('; ') : `${failure.code}, ${failure.message}`
    const fields = () => ({
      ...named,
      key,
      outcome,
      failure: failure === null ? null : { code: failure.code, message: failure.message },
      problems,
      credits: cost?.credits ?? 0,
      pages: pages?.parsed ?? null,
      durationMs: Math.round(durationMs),
      attempts,
    })
    output.event(
      'document',
      fields,
      `${outcome.padEnd(7)} ${shownName(key)}${reason === '' ? '' : `: ${oneLine(reason)}`}`,
    )
  })
  if (!output.json) {
    events.on('document:skipped', ({ key, reason, first }) => {
      if (first) output.say(`skipped ${shownName(key)}: ${reason}`)
    })
  }
  events.on('scan:finished', ({ seen: listed, enqueued, durationMs }) => {
    output.event('scan', () => ({ ...named, seen: listed, enqueued, durationMs: Math.round(durationMs) }))
  })
}

/** The last line of a pipeline with --json. */
export function summaryEvent(summary: SummaryInput, pipeline: string | null, exitCode: number): object {
  const { end, counts, tally, elapsedMs, out, ambiguous } = summary
  return {
    event: 'summary',
    ...(pipeline === null ? {} : { pipeline }),
    end: end.kind,
    ...(end.kind === 'halted' ? { cause: end.cause, message: end.message } : {}),
    ...counts,
    seen: seen(counts),
    skippedBy: Object.fromEntries(summary.skipped),
    leftOut: [...tally.leftOut].map(([folder, reason]) => ({ folder, reason })),
    ended: endedHere(summary),
    endedElsewhere: endedElsewhere(summary),
    unchanged: unchanged(summary),
    requests: tally.requests,
    engineRequests: tally.engineRequests,
    retries: tally.retries,
    throttled: tally.throttled,
    savedByReceipts: tally.receiptsReused,
    pages: tally.pages,
    errorPages: tally.errorPages,
    credits: tally.credits,
    unusable: tally.unusable,
    ambiguous,
    spooled: tally.spooled,
    answersLost: tally.answersLost,
    elapsedMs: Math.round(elapsedMs),
    out,
    exitCode,
  }
}

/** Redis may lose data at any moment: workers restore them without help, and each loss is reported once. */
export function reportLosses(events: Events, say: Say): void {
  events.on('redis:lost', ({ kind }) => {
    if (kind === 'restart') return
    say('Redis lost data: Sluice rebuilds the ledger from the store, and buys no answer again')
  })
}

/** A misspelt glob does nothing, or protects nothing: names each glob without a matching document once. */
export function reportUnmatched(events: Events, say: Say): void {
  for (const setting of ['never-send', 'rules'] as const) {
    const named = new Set<string>()
    events.on(`${setting}:unmatched`, ({ globs }) => {
      for (const glob of globs) {
        if (named.has(glob)) continue
        named.add(glob)
        say(`${setting}: ${JSON.stringify(glob)} matches no document of this source; check its spelling`)
      }
    })
  }
}

/** Notices of a stop; `next` describes the command that resumes. */
export function stopNotices(say: (line: string) => void, next: string): StopNotices {
  return {
    onFirst: (signal) =>
      say(
        signal === 'SIGINT'
          ? 'finishing the requests in flight; press Ctrl-C again to stop at once'
          : `${signal}: finishing the requests in flight; press Ctrl-C to stop at once`,
      ),
    onSecond: () => say(`stopping at once: requests in flight are cut off, and may be charged again; ${next}`),
    onForcedExit: () => say('stopped at the time limit (--grace): the next start repeats the documents in flight'),
  }
}
