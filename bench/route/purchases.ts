// Routes documents of 1 to 80 pages through the real pipeline, with a scripted service of stated quality that charges, and
// compares quality and charge with the arithmetic of the curves: `npm run route:purchases -- [--documents N] [--seed S] FILE…`,
// each FILE made by read-pages.ts. What the engine says of a page comes from trees that saw no page of its source.
import { parseArgs } from 'node:util'
import { Random } from '../../test/support/random.ts'
import { startTestRedis } from '../../test/support/redis.ts'
import { type ArchiveDocument, type RoutedResult, routeArchive } from '../../test/support/routed-archive.ts'
import { heldOut } from './held-out.ts'
import { linesOf } from './lines-of.ts'
import { mixOf } from './mix.ts'

const { values: given, positionals: files } = parseArgs({
  options: { documents: { type: 'string', default: '320' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const QUALITIES = [0.9, 0.95, 0.98, 1]
const FAILING = [0, 0.05]
const FLOOR = 0.9
const count = Number(given.documents)
const random = new Random(Number(given.seed))
const pool = heldOut(files.flatMap(linesOf), ({ source }) => String(source))

interface Cell {
  readonly quality: number
  readonly failing: number
}
const cells: readonly Cell[] = QUALITIES.flatMap((quality) => FAILING.map((failing) => ({ quality, failing })))

function documentsOf(scanned: number): (ArchiveDocument & { readonly cell: Cell })[] {
  const mix = mixOf(pool, count * 20, scanned, random)
  const groups = [...Map.groupBy(mix.pages, ({ document }) => document).values()].slice(0, count)
  return groups.map((own, at) => {
    const cell = cells[at % cells.length] as Cell
    const pages = own.map(({ page: { draw, expected } }) => ({ grade: expected, expected, f1: draw.f1 }))
    const failing = new Set(pages.flatMap((_, index) => (random.next() < cell.failing ? [index + 1] : [])))
    return { pages, paidQuality: cell.quality, failing, cell }
  })
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const redis = await startTestRedis()
let faults = 0
let twice = 0
let miscounted = 0
let total = 0

try {
  for (const scanned of [0.33, 0.1]) {
    const documents = documentsOf(scanned)
    const results: RoutedResult[] = []
    for await (const result of routeArchive(documents, { redis, qualityFloor: FLOOR, random })) {
      results.push(result)
      for (const fault of result.faults) console.log(`document ${results.length}: ${fault}`)
      const charge = [...result.charged.values()].reduce((sum, times) => sum + times, 0)
      faults += result.faults.length
      twice += [...result.charged.values()].filter((times) => times > 1).length
      miscounted += charge === result.record.cost.credits ? 0 : 1
      total += charge
    }
    console.log(`\n${percent(scanned)} scans: ${results.length} documents, seed ${given.seed}\n`)
    console.log('| paid F1 | fails on | documents | pages | local | routed | all paid | bought | service failed |')
    console.log('|---|---|---|---|---|---|---|---|---|')
    for (const cell of cells) console.log(rowOf(cell, documents, results))
  }
} finally {
  await redis[Symbol.asyncDispose]()
}
console.log(
  JSON.stringify({ seed: Number(given.seed), documents: 2 * count, charged: total, faults, twice, miscounted }),
)

function rowOf(cell: Cell, documents: ReturnType<typeof documentsOf>, results: readonly RoutedResult[]): string {
  const inCell = documents.flatMap((document, at) =>
    document.cell === cell ? [{ document, result: results[at] }] : [],
  )
  const pages = inCell.flatMap(({ document }) => document.pages)
  const routes = inCell.flatMap(({ result }) => result?.record.route?.pages ?? [])
  const allPaid = inCell.flatMap(({ document: { pages: all, failing, paidQuality } }) =>
    all.map(({ f1 }, at) => (failing.has(at + 1) ? f1 : paidQuality)),
  )
  const share = (reason: string): string =>
    percent(routes.filter((page) => page.reason === reason).length / pages.length)
  const cellsOfRow = [
    cell.quality,
    percent(cell.failing),
    inCell.length,
    pages.length,
    meanOf(pages.map(({ f1 }) => f1)).toFixed(4),
    meanOf(inCell.flatMap(({ result }) => result?.quality ?? [])).toFixed(4),
    meanOf(allPaid).toFixed(4),
    share('bought'),
    share('service-failed'),
  ]
  return `| ${cellsOfRow.join(' | ')} |`
}
