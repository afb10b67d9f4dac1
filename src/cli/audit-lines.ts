import Table from 'cli-table3'
import type { AuditFile } from '#src/route/audit/audit-file.ts'
import type { AuditSummary, CertifiedChoice } from '#src/route/audit/summarise.ts'
import type { CreditRange } from '#src/route/audit/price-share.ts'
import { count, plural, printable } from './format.ts'

/** Unanswered pages named at the most. */
const NAMED = 3

const share = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)} %`)
const figure = (value: number | null): string => (value === null ? '-' : value.toFixed(3))

/** What `sluice audit` prints. */
export function auditLines(file: AuditFile, summary: AuditSummary): string[] {
  const spent = file.sample.reduce((sum, { credits }) => sum + credits, 0)
  return [
    `${plural(file.sample.length, 'page')} of ${count(file.pages)} in ${plural(file.documents, 'PDF')} read by both, ${count(spent)} credits charged now`,
    ...(file.others > 0 ? [`not sampled: ${plural(file.others, 'document')} of other formats`] : []),
    ...(file.staying > 0 ? [`not sampled: ${plural(file.staying, 'document')} that must not leave this machine`] : []),
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
  return [`${plural(unanswered.length, 'sampled page')} without two answers, left out:`, ...named, ...more]
}

function selfLine({ self, twice, differsBelow }: AuditSummary): string {
  const noise =
    self === null
      ? 'no page was bought twice: how far the service differs from itself is not known'
      : `the service agrees with itself to ${figure(self)} (${plural(twice, 'page')} bought twice)`
  return `${noise}; answers count as different below ${figure(differsBelow)}. Different is not worse: the service may be wrong.`
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
    return `${asked}: the sample is too small; it takes at least ${needed} pages without a difference (--sample)`
  }
  if (threshold === null) return `${asked}: cannot be certified (counted by ${unit}s); buy more pages, or sample more`
  return (
    `${asked}: certified (95 %, counted by ${unit}s) when pages with a predicted risk above ${threshold.toFixed(3)} are bought, ` +
    `${share(1 - keptShare)} of them, for ${creditsText(credits)} credits`
  )
}

const tableOf = (head: string[]): InstanceType<typeof Table> =>
  new Table({
    head,
    colAligns: ['left', ...head.slice(1).map(() => 'right' as const)],
    style: { head: [], border: [] },
  })

/** An interval that holds the final charge in 95 of 100 audits, by the price model. */
function creditsText(range: CreditRange | null): string {
  if (range === null) return '-'
  return range.low === range.high ? count(range.low) : `${count(range.low)} to ${count(range.high)}`
}
