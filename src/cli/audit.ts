import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openIngestPipeline } from '#workers/compose.ts'
import { listenForStop, type Stopping } from '#workers/lifecycle.ts'
import { openAudit } from '#workers/open-audit.ts'
import type { Shared } from '#workers/shared.ts'
import { sourceKey } from '#src/document/ids.ts'
import { Events } from '#src/events.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import { auditSource, type PageResult } from '#src/ingest/audit/audit-source.ts'
import { AuditHalted } from '#src/ingest/audit/buy-page.ts'
import { countSource } from '#src/ingest/audit/count-pages.ts'
import { AUDIT_SCHEMA, type AuditFile, type SampledAnswer, type UnansweredPage } from '#src/route/audit/audit-file.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { summarise } from '#src/route/audit/summarise.ts'
import { staleModelLine } from '#src/route/predict-page.ts'
import { settingsAt } from '#workers/named-services.ts'
import { auditLines } from './audit-lines.ts'
import { checkSource } from './check-source.ts'
import { EXIT } from './exit-codes.ts'
import { count, plural } from './format.ts'
import type { Output } from './output.ts'
import { stopNotices } from './stop-notices.ts'
import { rememberTarget, sayFor, type Target, type Targets } from './targets.ts'
import { UsageError } from './usage-error.ts'

export interface AuditAsked {
  readonly sample: number
  /** Null draws a new sample. */
  readonly seed: number | null
  readonly report: string
  /** The name of a service in the settings; undefined for that of `PARSE_API_URL`. */
  readonly service?: string | undefined
}

const TWICE_EVERY = 10
/** Documents at a time: the gate decides how many requests are in flight. */
const AT_ONCE = 8

export async function auditTargets({ targets, shared }: Targets, asked: AuditAsked, output: Output): Promise<void> {
  await using _closing = shared
  using stopping = listenForStop(stopNotices(output.say, 'receipts are kept: give the same --seed to go on'))
  for (const given of targets) {
    if (stopping.soft.aborted) return
    const target = targetAt(given, asked.service)
    const report = targets.length === 1 ? asked.report : join(asked.report, target.name ?? 'source')
    await auditTarget(target, shared, { ...asked, report }, stopping, output)
  }
}

async function auditTarget(
  target: Target,
  shared: Shared,
  asked: AuditAsked,
  stopping: Stopping,
  output: Output,
): Promise<void> {
  const { settings } = target
  if (settings.parseApiUrl === undefined) {
    throw new UsageError('an audit compares the embedded engine with a service: name one with --parse-api-url')
  }
  await checkSource(target)
  const say = sayFor(target, output.say)
  const signal = stopping.soft
  await using pipeline = await openIngestPipeline({ ...target, shared, events: new Events(), say }, signal)
  await rememberTarget(target)
  await pipeline.beginRun()
  const deps = { ...(await openAudit(pipeline, shared, signal)), service: asked.service }
  const stale = staleModelLine(deps.local.parsers.own.version ?? '')
  if (stale !== null) say(stale)
  const counted = await countSource(
    deps.ingest,
    (documents) => output.live(`counting pages: ${count(documents)} documents checked`),
    signal,
  )
  const seed = asked.seed ?? Math.floor(Math.random() * 0xffff_ffff)
  const options = { sample: asked.sample, twiceEvery: TWICE_EVERY, atOnce: AT_ONCE, next: seededRandom(seed) }
  const drawn = await drawSample(() => auditSource(counted, options, deps, signal), asked.sample, output)
  const file: AuditFile = {
    schema: AUDIT_SCHEMA,
    source: pipeline.source.url,
    service: deps.ingest.parser.service,
    engine: deps.local.parsers.own.version ?? '',
    at: new Date().toISOString(),
    seed,
    documents: counted.documents.length,
    pages: counted.pages,
    others: counted.others,
    staying: counted.staying,
    uncounted: counted.uncounted,
    ...pricesOf(pipeline.ingest),
    sample: drawn.sample,
    unanswered: drawn.unanswered,
  }
  await printReport(file, drawn.halted, asked.report, output)
}

interface Drawn {
  readonly sample: readonly SampledAnswer[]
  readonly unanswered: readonly UnansweredPage[]
  /** What ended the sample early, in one sentence; null where nothing did. */
  readonly halted: string | null
}

async function drawSample(results: () => AsyncIterable<PageResult>, asked: number, output: Output): Promise<Drawn> {
  const sample: SampledAnswer[] = []
  const unanswered: UnansweredPage[] = []
  try {
    for await (const { kind, ...page } of results()) {
      if (kind === 'answered') sample.push(page as SampledAnswer)
      else unanswered.push(page as UnansweredPage)
      output.live(`audit: ${count(sample.length + unanswered.length)} of ${plural(asked, 'page')} compared`)
    }
    return { sample, unanswered, halted: null }
  } catch (error) {
    if (error instanceof AuditHalted) return { sample, unanswered, halted: error.message }
    throw error
  } finally {
    output.live(null)
  }
}

async function printReport(file: AuditFile, halted: string | null, folder: string, output: Output): Promise<void> {
  const summary = summarise(file)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'audit.json'), `${JSON.stringify(file, null, 1)}\n`)
  const { seed, pages, sample, unanswered } = file
  const lines = [
    ...auditLines(file, summary),
    `seed ${seed}; written: ${join(folder, 'audit.json')}`,
    ...(halted === null ? [] : [`stopped early: ${halted}. Receipts are kept: --seed ${seed} goes on`]),
  ]
  output.result(lines.join('\n'), () => ({
    event: 'audited',
    seed,
    pages,
    sampled: sample.length,
    unanswered: unanswered.length,
    halted,
    ...summary,
  }))
  if (halted !== null) process.exitCode = EXIT.halted
  else if (unanswered.length > 0) process.exitCode = EXIT.someFailed
}

/** By the recipe that most documents have: that of a PDF at the top of the source. */
function pricesOf({ recipeFor, price }: IngestDeps): Pick<AuditFile, 'firstPageCredits' | 'furtherPageCredits'> {
  const recipe = recipeFor(sourceKey('document.pdf'), 'pdf')
  const firstPageCredits = price(recipe, 'pdf', 1)
  return { firstPageCredits, furtherPageCredits: price(recipe, 'pdf', 2) - firstPageCredits }
}

/** The target with this one of the services of the settings as its service; undefined: with that of `PARSE_API_URL`. */
const targetAt = (target: Target, service: string | undefined): Target =>
  service === undefined ? target : { ...target, settings: settingsAt(service, target.settings) }
