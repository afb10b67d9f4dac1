import { createHash } from 'node:crypto'
import { openIngestPipeline } from '#workers/compose.ts'
import { originsBeside } from '#workers/named-services.ts'
import { listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { Shared } from '#workers/shared.ts'
import { Events } from '#src/events.ts'
import { AuditHalted } from '#src/ingest/audit/buy-page.ts'
import { type Rechecked, recheckReceipts } from '#src/ingest/audit/recheck-receipts.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { checkSource } from './check-source.ts'
import { EXIT } from './exit-codes.ts'
import { count, plural, printable } from './format.ts'
import type { Output } from './output.ts'
import { stopNotices } from './stop-notices.ts'
import { targetAt } from './target-at.ts'
import { sayFor, type Target, type Targets } from './targets.ts'
import { UsageError } from './usage-error.ts'

export interface RecheckAsked {
  readonly budget: number
  /** Null for one of its own each day. */
  readonly name: string | null
  /** The name of a service in the settings; undefined for that of `PARSE_API_URL`. */
  readonly service?: string | undefined
}

type Compared = Extract<Rechecked, { kind: 'rechecked' }>

/** Answers that agree less are reported one by one. */
const SAME = 0.995

export async function recheckTargets({ targets, shared }: Targets, asked: RecheckAsked, output: Output): Promise<void> {
  await using _closing = shared
  using stopping = listenForStop(stopNotices(output.say, 'give the same --name to go on'))
  for (const given of targets) {
    if (stopping.soft.aborted) return
    const origins = originsBeside(asked.service, given.settings)
    await recheckTarget(targetAt(given, asked.service), shared, { ...asked, origins }, stopping, output)
  }
}

async function recheckTarget(
  target: Target,
  shared: Shared,
  { budget, name: given, service, origins }: RecheckAsked & { readonly origins: readonly string[] },
  { soft: signal }: Stopping,
  output: Output,
): Promise<void> {
  if (target.settings.parseApiUrl === undefined) {
    throw new UsageError('a recheck buys answers of a service again: name it with --parse-api-url')
  }
  await checkSource(target)
  const say = sayFor(target, output.say)
  await using pipeline = await openIngestPipeline(
    { ...target, shared, events: new Events(), say, mustExist: true },
    signal,
  )
  await pipeline.beginRun()
  const name = given ?? `recheck ${new Date().toISOString().slice(0, 10)}`
  const options = {
    budget,
    name,
    service,
    origins,
    next: seededRandom(createHash('sha256').update(name).digest().readUInt32LE()),
  }
  const compared: Compared[] = []
  let unchecked = 0
  const halted = await untilHalted(async () => {
    for await (const one of recheckReceipts(options, pipeline.ingest, signal)) {
      if (one.kind === 'rechecked') compared.push(one)
      else unchecked += 1
      output.result(lineOf(one), () => ({ event: 'rechecked', ...one }))
    }
  })
  showSummary(compared, unchecked, halted, name, output)
}

async function untilHalted(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof AuditHalted) return error.message
    throw error
  }
}

/** Empty for an answer that is as it was. */
function lineOf(one: Rechecked): string {
  const pages = one.kind === 'rechecked' && one.pages !== null ? `, pages ${one.pages.join(', ')}` : ''
  const key = `${printable(one.key)}${pages}`
  if (one.kind === 'unchecked') return `${key}: not rechecked: ${one.message}`
  const { text, order, headings, numbers } = one.agreement
  if (Math.min(text, order, headings ?? 1, numbers ?? 1) >= SAME) return ''
  const parts = [
    ['text', text],
    ['order', order],
    ['headings', headings],
    ['numbers', numbers],
  ] as const
  const shown = parts.flatMap(([part, value]) => (value === null ? [] : [`${part} ${value.toFixed(3)}`]))
  return `${key}: changed since ${one.answeredAt ?? 'its receipt'}: agreement ${shown.join(', ')}`
}

function showSummary(
  compared: readonly Compared[],
  unchecked: number,
  halted: string | null,
  name: string,
  output: Output,
): void {
  const credits = compared.reduce((sum, one) => sum + one.credits, 0)
  const changed = compared.filter((one) => lineOf(one) !== '').length
  const mean = compared.reduce((sum, { agreement }) => sum + agreement.text, 0) / Math.max(1, compared.length)
  const lines = [
    compared.length === 0
      ? 'no receipt of the service could be rechecked'
      : `${plural(compared.length, 'receipt')} rechecked for ${count(credits)} credits: ${changed} changed, text agrees to ${mean.toFixed(3)} in the mean`,
    ...(unchecked > 0 ? [`${plural(unchecked, 'document')} not rechecked`] : []),
    ...(halted === null ? [] : [`stopped early: ${halted}. Give --name "${name}" to go on`]),
  ]
  output.result(lines.join('\n'), () => ({
    event: 'recheck-summary',
    rechecked: compared.length,
    changed,
    unchecked,
    credits,
    text: compared.length === 0 ? null : mean,
    halted,
  }))
  if (halted !== null) process.exitCode = EXIT.halted
}
