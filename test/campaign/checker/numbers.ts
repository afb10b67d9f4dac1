import { freePort } from '../../support/free-port.ts'
import type { Finished, RunningSluice } from '../../support/sluice.ts'
import type { Archive } from '../world/archive.ts'
import { type Charge, creditsOf } from '../service/charges.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { type Metrics, readMetrics } from './metrics-outside.ts'
import type { FixtureStore } from '../world/fixture-store.ts'
import type { StoreOutside } from './store-outside.ts'

/** Files of every source that are no documents, and what a summary counts them under. */
const NO_DOCUMENTS = {
  'photo.psd': '.psd',
  'b/scan.PSD': '.psd',
  README: 'no extension',
  '.hidden.html': 'hidden',
  'b/~$letter.docx': 'system',
  'Thumbs.db': 'system',
  'b/large.pdf.part': 'temporary',
} as const

/** The `summary` event of a run, as its published schema has it. */
export interface Summary {
  readonly end: 'complete' | 'halted' | 'interrupted'
  readonly done: number
  readonly partial: number
  readonly failed: number
  readonly skipped: number
  readonly pending: number
  readonly seen: number
  readonly gone: number
  readonly skippedBy: Readonly<Record<string, number>>
  readonly ended: number
  readonly endedElsewhere: number
  readonly requests: number
  readonly credits: { readonly reported: number; readonly estimated: number }
}

interface Report {
  readonly pid: number
  readonly wasKilled: boolean
  readonly summary: Summary | null
  /** Source keys of the `document` events. */
  readonly documents: readonly string[]
}

export interface Truth {
  readonly archive: Archive
  readonly store: StoreOutside
  readonly charges: readonly Charge[]
  /** Redis lost data, or source or store went away for a while: documents may come to an end twice. */
  readonly mayEndTwice: boolean
  /** No process stood still, met write errors or was cut off from Redis or the store. */
  readonly isCalm: boolean
  /** Requests that were sent did not come to the service. */
  readonly mayBeUnheard: boolean
}

/**
 * Compares what processes report with the service's own ledger, a listing of the source and the store.
 */
export class NumbersChecker {
  readonly #reports: Report[] = []
  readonly #observer = { pid: 0, port: 0 }
  #metrics: Metrics | null = null

  /** Files beside the documents that are to be counted as skipped. */
  async plantOthers(fixtures: FixtureStore): Promise<void> {
    for (const key of Object.keys(NO_DOCUMENTS)) await fixtures.write(key, 'no document')
  }

  ended(pid: number, { signal, stdout }: Pick<Finished, 'signal' | 'stdout'>): void {
    this.#reports.push({ pid, wasKilled: signal !== null, ...reportOf(stdout) })
  }

  /** Port of the worker whose metrics are read at rest. */
  async observerPort(): Promise<number> {
    this.#observer.port = await freePort()
    return this.#observer.port
  }

  /** Reads the metrics of the worker, which is at rest; it has none where it ended. */
  async readObserver({ child, finished }: RunningSluice): Promise<void> {
    this.#observer.pid = child.pid ?? 0
    this.#metrics = await Promise.race([readMetrics(this.#observer.port).catch(() => null), finished.then(() => null)])
  }

  /** One sentence for each number that is not what happened. */
  differences(truth: Truth): readonly string[] {
    const last = this.#reports.findLast(({ summary }) => summary?.end === 'complete')?.summary
    return [
      ...(last ? differing('the summary', countsOf(last), countsIn(truth)) : ['no run reported its summary']),
      ...(last ? differing('the summary, skipped', last.skippedBy, skippedBy()) : []),
      ...this.#reports.flatMap((report) => spendingOf(report, truth)),
      ...this.#metricsAgainst(truth),
      ...endedTwice(this.#reports, truth),
      ...recordedCosts(truth, this.#reports),
    ]
  }

  #metricsAgainst(truth: Truth): readonly string[] {
    const metrics = this.#metrics
    if (metrics === null) return ['no metrics were read']
    const of = (outcome: string): number => metrics.value('sluice_documents', { outcome })
    const { pid } = this.#observer
    const reported = this.#reports.find((report) => report.pid === pid)?.documents.length ?? 0
    const { requests, credits } = booksOf(pid, truth.charges)
    const { done, failed, skipped, pending } = countsIn(truth)
    return [
      ...differing(
        'sluice_documents',
        { done: of('done') + of('partial'), failed: of('failed'), skipped: of('skipped'), pending: of('pending') },
        { done, failed, skipped, pending },
      ),
      ...differing(
        'the metrics',
        {
          requests: metrics.sum('sluice_requests_total'),
          credits: metrics.value('sluice_credits_total', { basis: 'reported' }),
          estimated: metrics.value('sluice_credits_total', { basis: 'estimated' }),
          documents: metrics.sum('sluice_documents_completed_total'),
        },
        { requests, credits, estimated: 0, documents: reported },
      ),
    ]
  }
}

/** What a command printed with `--json`. A process that was killed may have cut off its last line. */
export const linesOf = (stdout: string): readonly Readonly<Record<string, unknown>>[] =>
  stdout.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []
    } catch {
      return []
    }
  })

export function reportOf(stdout: string): Pick<Report, 'summary' | 'documents'> {
  const events = linesOf(stdout)
  const summary = events.find(({ event }) => event === 'summary') as Summary | undefined
  const documents = events.filter(({ event }) => event === 'document').map(({ key }) => String(key))
  return { summary: summary ?? null, documents }
}

type Numbers = Readonly<Record<string, number>>

/** One sentence for each number that two sources of it do not agree on. */
export function differing(what: string, reported: Numbers, true_: Numbers): readonly string[] {
  const names = new Set([...Object.keys(reported), ...Object.keys(true_)])
  return [...names]
    .filter((name) => (reported[name] ?? 0) !== (true_[name] ?? 0))
    .map((name) => `${what}: ${name} is ${reported[name] ?? 0}, and was ${true_[name] ?? 0}`)
}

const countsOf = ({ done, partial, failed, skipped, pending, seen }: Summary) => ({
  done: done + partial,
  failed,
  skipped,
  pending,
  seen,
})

/** By the listing and the store. What is gone from the source, and has its outputs still, is counted apart. */
function countsIn({ archive, store }: Truth): ReturnType<typeof countsOf> {
  const present = [...store.records.values()].filter(({ goneAt }) => goneAt === undefined)
  const keys = new Set<string>([...archive.keys, ...present.map(({ key }) => key), ...store.letters.keys()])
  const [failed, skipped] = [store.letters.size, Object.keys(NO_DOCUMENTS).length]
  return { done: keys.size - failed, failed, skipped, pending: 0, seen: keys.size + skipped }
}

function skippedBy(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const label of Object.values(NO_DOCUMENTS)) counts[label] = (counts[label] ?? 0) + 1
  return counts
}

/** What the service's ledger says of one process; `whole`: of answers that it did not cut off itself. */
function booksOf(pid: number, charges: readonly Charge[]): { readonly requests: number; readonly credits: number } {
  const ofProcess = charges.filter(({ process }) => process === pid)
  const whole = ofProcess.filter(({ charged, fault }) => charged && fault === null)
  return { requests: ofProcess.length, credits: creditsOf(whole) }
}

/** Requests and credits of one process. One that was stopped may have been charged for answers that it did not wait for. */
function spendingOf({ pid, summary, documents }: Report, truth: Truth): readonly string[] {
  if (summary === null) return []
  const books = booksOf(pid, truth.charges)
  const { reported, estimated } = summary.credits
  const counted = { requests: summary.requests, credits: reported + estimated, ended: summary.ended }
  const real = { ...books, ended: documents.length }
  if (summary.end === 'complete' && truth.isCalm) return differing(`process ${pid}, complete`, counted, real)
  return Object.entries(counted).flatMap(([what, value]) =>
    value > real[what as keyof typeof real] && !(what === 'requests' && truth.mayBeUnheard)
      ? [`process ${pid}, ${summary.end}: ${what} is ${value}, and was at most ${real[what as keyof typeof real]}`]
      : [],
  )
}

/** What a record may cost: of a routed PDF, a credit for each page that this purchase brought; else what it was charged. */
function costsOf(
  { key, cost, contentHash, route, parser, pages }: DocumentRecord,
  charges: readonly Charge[],
): number[] {
  if (cost.basis === 'saved') return [0]
  if (route !== undefined && route.whole === null)
    return [route.pages.filter(({ reason }) => reason === 'bought').length]
  if (parser?.class === 'embedded') return [0]
  if (key.endsWith('.pdf')) return [pages.parsed ?? 0]
  return charges.filter(({ charged, units }) => charged && units.includes(contentHash)).map(({ credits }) => credits)
}

/** A document that never changed comes to its end once, whichever processes are killed. */
function endedTwice(reports: readonly Report[], { mayEndTwice, archive, store }: Truth): readonly string[] {
  if (mayEndTwice) return []
  const times = new Map<string, number>()
  for (const key of reports.flatMap(({ documents }) => documents)) times.set(key, (times.get(key) ?? 0) + 1)
  return [...times].flatMap(([key, count]) =>
    count > 1 && archive.isAsFilled(key) && store.records.has(key)
      ? [`${key} was reported ${count} times as ended, and never changed`]
      : [],
  )
}

/** Records state what was charged: where all processes ended by themselves, their sum is the service's. */
function recordedCosts(
  { store, charges, archive, isCalm, mayEndTwice }: Truth,
  reports: readonly Report[],
): readonly string[] {
  const wrong = [...store.records.values()]
    .filter((record) => !costsOf(record, charges).includes(record.cost.credits))
    .map((record) => {
      const may = costsOf(record, charges).join(' or ')
      return `${record.key}: its record costs ${record.cost.credits}, not ${may}`
    })
  const isWhole =
    isCalm && !mayEndTwice && reports.every(({ wasKilled, summary }) => !wasKilled && summary?.end !== 'interrupted')
  if (!isWhole || archive.hasChanged) return wrong
  const recorded = [...store.records.values()].reduce((sum, { cost }) => sum + cost.credits, 0)
  const charged = charges.filter((charge) => charge.charged && charge.fault === null)
  const isRouted = [...store.records.values()].some(({ route }) => route !== undefined)
  // Pages bought in an attempt that came to no end count as bought before in the next one.
  if (isRouted && recorded <= creditsOf(charged)) return wrong
  return [...wrong, ...differing('the records', { credits: recorded }, { credits: creditsOf(charged) })]
}
