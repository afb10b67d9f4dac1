import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Table from 'cli-table3'
import { Command } from 'commander'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { sourceKey } from '#src/document/ids.ts'
import { Events } from '#src/events.ts'
import { type AuditDeps, auditSource, type PageResult, countSource } from '#src/ingest/audit/audit-source.ts'
import { AuditHalted } from '#src/ingest/audit/buy-page.ts'
import { AUDIT_SCHEMA, type AuditFile, type SampledAnswer, type UnansweredPage } from '#src/route/audit/audit-file.ts'
import type { CreditRange } from '#src/route/audit/price-share.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { type AuditSummary, type CertifiedChoice, summarise } from '#src/route/audit/summarise.ts'
import { staleModelLine } from '#src/route/predict-page.ts'
import { listenForStop, type Stopping } from '#workers/process/lifecycle.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { checkSource } from '../session/check-source.ts'
import { UsageError } from '../print/errors.ts'
import { EXIT } from '../print/exit-codes.ts'
import { wholeNumber } from '../session/flags.ts'
import { count, plural, printable } from '../print/format.ts'
import { type Output, outputOf } from '../print/output.ts'
import { stopNotices } from '../session/run-events.ts'
import { FEED_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, rememberTarget, sayFor, type Target, type Targets, targetsOf } from '../session/targets.ts'

interface Options {
  readonly sample: string
  readonly report: string
  readonly seed?: string
  readonly service?: string
}

/** Largest sample in pages: beyond it a run is the right command. */
const MAX_PAGES = 100_000

export function auditCommand(): Command {
  const command = new Command('audit')
    .argument('[source]', 'a folder or s3://bucket/prefix (default: the pipelines of sluice.yaml)')
    .option('--sample <pages>', 'pages to buy; every tenth is bought twice, at a tenth more cost', '200')
    .option('--report <folder>', 'folder for audit.json', 'audit')
    .option('--seed <number>', 'seed of an earlier audit: draws the same sample, and reuses its receipts')
    .option('--service <name>', 'name of a service in the settings (default: that of PARSE_API_URL)')
  addTargetFlags(command, FEED_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const { sample, report, seed, service } = command.opts<Options>()
    const asked = {
      sample: wholeNumber('--sample', sample, 1, MAX_PAGES),
      seed: seed === undefined ? null : wholeNumber('--seed', seed, 0, 0xffff_ffff),
      report,
      service: service ?? DEFAULT_SERVICE,
    }
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    await auditTargets(targets, asked, output)
  })
}

interface AuditAsked {
  readonly sample: number
  /** Null draws a new sample. */
  readonly seed: number | null
  readonly report: string
  /** The name of a service in the settings. */
  readonly service: string
}

const TWICE_EVERY = 10
/** Documents in flight: the gate limits the requests. */
const AT_ONCE = 8

async function auditTargets({ targets, shared }: Targets, asked: AuditAsked, output: Output): Promise<void> {
  await using _closing = shared
  using stopping = listenForStop(
    stopNotices(output.say, 'receipts are kept: run again with the same --seed to continue'),
  )
  const { settingsAt } = await import('#workers/settings/service-names.ts')
  for (const { settings, ...given } of targets) {
    if (stopping.soft.aborted) return
    const target = { ...given, settings: settingsAt(asked.service, settings) }
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
    throw new UsageError('audit compares the embedded engine with a service: give one with --parse-api-url')
  }
  await checkSource(target)
  const say = sayFor(target, output.say)
  const signal = stopping.soft
  const { openIngestPipeline } = await import('#workers/compose.ts')
  const { openAudit } = await import('#workers/pipeline/open-tiers.ts')
  await using pipeline = await openIngestPipeline({ ...target, shared, events: new Events(), say }, signal)
  await rememberTarget(target)
  await pipeline.beginRun()
  const service = asked.service === DEFAULT_SERVICE ? undefined : asked.service
  const deps = { ...(await openAudit(pipeline, shared, signal)), service }
  const stale = staleModelLine(deps.local.parsers.own.version ?? '')
  if (stale !== null) say(stale)
  const counted = await countSource(
    deps,
    (documents) => output.live(`counting pages: ${plural(documents, 'document')} checked`),
    signal,
  )
  const seed = asked.seed ?? Math.floor(Math.random() * 0xffff_ffff)
  const options = { sample: asked.sample, twiceEvery: TWICE_EVERY, atOnce: AT_ONCE, next: seededRandom(seed) }
  const drawn = await drawSample(() => auditSource(counted, options, deps, signal), asked.sample, output)
  const file: AuditFile = {
    schema: AUDIT_SCHEMA,
    source: pipeline.source.url,
    service: deps.paid.parser.service,
    engine: deps.local.parsers.own.version ?? '',
    at: new Date().toISOString(),
    seed,
    documents: counted.documents.length,
    pages: counted.pages,
    others: counted.others,
    staying: counted.staying,
    uncounted: counted.uncounted,
    ...pricesOf(deps),
    sample: drawn.sample,
    unanswered: drawn.unanswered,
  }
  await printReport(file, drawn.halted, asked.report, output)
}

interface Drawn {
  readonly sample: readonly SampledAnswer[]
  readonly unanswered: readonly UnansweredPage[]
  /** Reason for an early end of the sample, in one sentence; null if it is complete. */
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
    ...(halted === null
      ? []
      : [`stopped early: ${halted}. Receipts are kept: run again with --seed ${seed} to continue`]),
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

/** Prices of the recipe that most documents have: that of a PDF at the top level of the source. */
function pricesOf({ ingest, paid: { price } }: AuditDeps): Pick<AuditFile, 'firstPageCredits' | 'furtherPageCredits'> {
  const recipe = ingest.policy.recipeFor(sourceKey('document.pdf'), 'pdf')
  const firstPageCredits = price(recipe, 'pdf', 1)
  return { firstPageCredits, furtherPageCredits: price(recipe, 'pdf', 2) - firstPageCredits }
}

/** Maximum number of named unanswered pages. */
const NAMED = 3

const share = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)} %`)
const figure = (value: number | null): string => (value === null ? '-' : value.toFixed(3))

/** Lines that `sluice audit` prints. */
function auditLines(file: AuditFile, summary: AuditSummary): string[] {
  const spent = file.sample.reduce((sum, { credits }) => sum + credits, 0)
  return [
    `${plural(file.sample.length, 'page')} of ${count(file.pages)} in ${plural(file.documents, 'PDF')} parsed by both, ${plural(spent, 'credit')} charged by this audit`,
    ...(file.others > 0 ? [`not sampled: ${plural(file.others, 'document')} of other formats`] : []),
    ...(file.staying > 0
      ? [`not sampled: ${plural(file.staying, 'document')} that never-send keeps on this machine`]
      : []),
    ...(file.uncounted > 0 ? [`not sampled: ${plural(file.uncounted, 'PDF')} whose pages cannot be counted`] : []),
    ...unansweredLines(file),
    ...(file.sample.length === 0 ? [] : [selfLine(summary), strataTable(summary), choicesTable(summary)]),
    ...summary.certificates.map((certificate) => certificateLine(certificate, file)),
  ]
}

function unansweredLines({ unanswered }: AuditFile): string[] {
  if (unanswered.length === 0) return []
  const named = unanswered
    .slice(0, NAMED)
    .map(({ key, pageNumber, tier, message }) => `  ${printable(key)}, page ${pageNumber} (${tier}): ${message}`)
  const more = unanswered.length > NAMED ? [`  and ${count(unanswered.length - NAMED)} more`] : []
  return [
    `${plural(unanswered.length, 'sampled page')} left out, because the engine or the service gave no answer:`,
    ...named,
    ...more,
  ]
}

function selfLine({ self, twice, differsBelow }: AuditSummary): string {
  const noise =
    self === null
      ? 'no page was bought twice: the noise of the service is unknown'
      : `two answers of the service for a page agree to ${figure(self)} (${plural(twice, 'page')} bought twice)`
  return `${noise}; engine and service differ on a page if they agree to less than ${figure(differsBelow)}. Either of them may be wrong.`
}

function strataTable({ strata }: AuditSummary): string {
  const table = tableOf(['pages', 'number', 'text', 'order', 'headings', 'numbers', 'different'])
  for (const { name, pages, agreement, differing } of strata) {
    if (pages === 0) continue
    const { text, order, headings, numbers } = agreement
    table.push([name, count(pages), figure(text), figure(order), figure(headings), figure(numbers), count(differing)])
  }
  return table.toString()
}

function choicesTable({ choices }: AuditSummary): string {
  const table = tableOf(['policy', 'pages bought', 'credits', 'agreement with the service'])
  for (const { name, share: bought, credits, agreement } of choices) {
    table.push([name, share(bought), creditsText(credits), bought === null ? '-' : figure(agreement)])
  }
  return table.toString()
}

function certificateLine(
  { risk, threshold, keptShare, needed, unit, credits }: CertifiedChoice,
  { sample }: AuditFile,
): string {
  const asked = `at most ${share(risk)} of the local pages differ`
  if (sample.length < needed) {
    return `${asked}: the sample is too small to certify this; it needs at least ${needed} pages without a difference (--sample)`
  }
  if (threshold === null)
    return `${asked}: the sample cannot certify this (counted by ${unit}s); buy more pages, or take a larger --sample`
  return (
    `${asked}: certified (95 % confidence, counted by ${unit}s) if you buy the pages with a predicted risk above ${threshold.toFixed(3)}: ` +
    `${share(1 - keptShare)} of all pages, for ${creditsText(credits)} credits`
  )
}

const tableOf = (head: string[]): InstanceType<typeof Table> =>
  new Table({
    head,
    colAligns: ['left', ...head.slice(1).map(() => 'right' as const)],
    style: { head: [], border: [] },
  })

/** An interval that contains the final charge in 95 of 100 audits, by the price model. */
function creditsText(range: CreditRange | null): string {
  if (range === null) return '-'
  return range.low === range.high ? count(range.low) : `${count(range.low)} to ${count(range.high)}`
}
