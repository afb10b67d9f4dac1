// Prints how much of an archive has to be bought for which quality, by policy: `npm run route:curves -- [--seed N] [--severity N]
// [--chart FILE.svg] FILE…`, each FILE made by read-pages.ts. Every page is predicted by a model that saw no page of its source.
// `--severity`: scans that are damaged less are left out.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import { Random } from '../../test/support/random.ts'
import { middle } from './bootstrap.ts'
import { figuresOf, type MixFigures, type PaidService } from './curves.ts'
import { chartOf } from './curve-chart.ts'
import { heldOut, type JudgedPage } from './held-out.ts'
import { linesOf } from './lines-of.ts'
import { type MixedPage, mixOf } from './mix.ts'

const PAGES = 3_000
const SCANNED = [0.33, 0.1]
const SERVICES: readonly PaidService[] = [
  { quality: 0.9, failing: 0 },
  { quality: 0.95, failing: 0 },
  { quality: 0.98, failing: 0 },
  { quality: 0.98, failing: 0.05 },
  { quality: 1, failing: 0 },
]
const BOOTSTRAPS = 100
/** F1 of the service in the chart. */
const CHARTED = 0.98

const { values: given, positionals: files } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    severity: { type: 'string', default: '0' },
    chart: { type: 'string' },
  },
  allowPositionals: true,
})
const seed = Number(given.seed)
const isHard = ({ draw }: JudgedPage): boolean => isBornDigital(draw.kind) || draw.severity >= Number(given.severity)
const pool = heldOut(files.flatMap(linesOf), ({ source }) => String(source)).filter(isHard)

const percent = (share: number | null): string => (share === null ? '-' : `${(share * 100).toFixed(1)} %`)
const ratio = (one: number | null, other: number | null): number =>
  one === null || other === null || other === 0 ? Number.NaN : one / other
const ranged = (value: number, [low, high]: readonly [number, number]): string =>
  Number.isNaN(value) ? '-' : `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`

console.log(`${pool.length} pages read, ${pool.filter(({ good }) => !good).length} of them bad; seed ${seed}`)
for (const scanned of SCANNED) {
  const mix = mixOf(pool, PAGES, scanned, new Random(seed))
  console.log(
    `\n${percent(scanned)} scans: ${mix.documents} documents, ${mix.pages.length} pages, ${mix.distinct} of them different\n`,
  )
  console.log(
    "| paid F1 | local | all paid | bought for 99 %: routed | oracle | text length | whole documents | random | routed / oracle | routed / text length | gain, of the oracle's: routed | text length | whole documents | best routed point |",
  )
  console.log(`|${'---|'.repeat(14)}`)
  for (const service of SERVICES) console.log(rowOf(mix.pages, service))
  if (given.chart !== undefined && scanned === SCANNED[0]) writeFileSync(given.chart, chartOf(mix.pages, CHARTED))
}

function rowOf(pages: readonly MixedPage[], service: PaidService): string {
  const figures = figuresOf(pages, service)
  const { local, allPaid, of } = figures
  const drawn = resampled(pages).map((some) => figuresOf(some, service))
  const bounds = (value: (figures: MixFigures) => number): readonly [number, number] => middle(drawn.map(value))
  const toOracle = ({ of: own }: MixFigures): number => ratio(own.routed.share99, own.oracle.share99)
  const toText = ({ of: own }: MixFigures): number => ratio(own.routed.share99, own['text length'].share99)
  const gain = ({ of: own }: MixFigures): number => own.routed.gain
  const { best } = of.routed
  const cells = [
    `${service.quality}${service.failing === 0 ? '' : `, fails on ${percent(service.failing)}`}`,
    local.toFixed(3),
    allPaid.toFixed(3),
    percent(of.routed.share99),
    percent(of.oracle.share99),
    percent(of['text length'].share99),
    percent(of['whole documents'].share99),
    percent(of.random.share99),
    ranged(toOracle(figures), bounds(toOracle)),
    ranged(toText(figures), bounds(toText)),
    ranged(gain(figures), bounds(gain)),
    of['text length'].gain.toFixed(2),
    of['whole documents'].gain.toFixed(2),
    `${best.quality.toFixed(3)} at ${percent(best.share)}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The same mix with its documents drawn with replacement. */
function resampled(pages: readonly MixedPage[]): MixedPage[][] {
  const documents = [...Map.groupBy(pages, ({ document }) => document).values()]
  const random = new Random(seed)
  return Array.from({ length: BOOTSTRAPS }, () => documents.flatMap(() => random.pick(documents)))
}
