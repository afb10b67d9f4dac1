import type { FailureCode } from '#src/document/failure.ts'
import type { Change } from '#src/events.ts'
import type { PlannedItem } from '#src/ingest/scan/plan-source.ts'

export interface FormatTotals {
  readonly requests: number
  readonly pages: number
  readonly saved: number
  readonly credits: number
}

/** The sums of a plan, as `sluice plan --json` prints them. */
export interface Plan extends FormatTotals {
  /** Everything that the source holds. */
  readonly seen: number
  /** Documents that came out before and are no longer in the source; part of nothing else here. */
  readonly gone: number
  /** Of what is to be sent: done before by the embedded engine, or by an older version of it. */
  readonly again: { readonly documents: number; readonly credits: number }
  readonly changes: Readonly<Partial<Record<Change, number>>>
  readonly refused: Readonly<Partial<Record<FailureCode, number>>>
  /** Texts that become outputs as they are, without a request. */
  readonly passedThrough: number
  /** Files that are no documents, by extension or reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly byFormat: Readonly<Record<string, FormatTotals>>
}

const NOTHING: FormatTotals = { requests: 0, pages: 0, saved: 0, credits: 0 }

export const NO_PLAN: Plan = {
  ...NOTHING,
  seen: 0,
  gone: 0,
  again: { documents: 0, credits: 0 },
  changes: {},
  refused: {},
  passedThrough: 0,
  skipped: {},
  byFormat: {},
}

export function addTo(plan: Plan, planned: PlannedItem): Plan {
  const { refusal, skip, extension, requests, credits } = planned
  // What its bytes refuse was listed as new or changed.
  const change = refusal === null ? planned.change : 'unusable'
  const counted = { requests, pages: planned.pages ?? 0, saved: planned.saved ? 1 : 0, credits }
  const counts = requests > 0 || planned.saved
  return {
    ...sum(plan, counted),
    seen: plan.seen + (change === 'gone' ? 0 : 1),
    again:
      change === 'parser_changed' && requests > 0
        ? { documents: plan.again.documents + 1, credits: plan.again.credits + credits }
        : plan.again,
    gone: plan.gone + (change === 'gone' ? 1 : 0),
    changes: change === 'gone' ? plan.changes : { ...plan.changes, [change]: (plan.changes[change] ?? 0) + 1 },
    refused:
      refusal === null ? plan.refused : { ...plan.refused, [refusal.code]: (plan.refused[refusal.code] ?? 0) + 1 },
    passedThrough: plan.passedThrough + (planned.passedThrough ? 1 : 0),
    skipped: skip === null ? plan.skipped : { ...plan.skipped, [skip]: (plan.skipped[skip] ?? 0) + 1 },
    byFormat:
      counts && extension !== null
        ? { ...plan.byFormat, [extension]: sum(plan.byFormat[extension] ?? NOTHING, counted) }
        : plan.byFormat,
  }
}

const sum = (a: FormatTotals, b: FormatTotals): FormatTotals => ({
  requests: a.requests + b.requests,
  pages: a.pages + b.pages,
  saved: a.saved + b.saved,
  credits: a.credits + b.credits,
})
