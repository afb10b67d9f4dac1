// How often certificates are wrong and what they keep, and how often price intervals hold, over archives whose pages are all
// known: `npm run route:guarantee -- [--draws N] [--seed S]`.
import { parseArgs } from 'node:util'
import { certify } from '../../src/route/audit/certify.ts'
import { priceFromSample } from '../../src/route/audit/price-share.ts'
import { Random } from '../../test/support/random.ts'
import {
  manyDocuments,
  mostKept,
  riskOf,
  type SimulatedArchive,
  simulatedArchive,
  singlePages,
  wholeDocuments,
} from '../../test/support/simulated-archive.ts'

const { values } = parseArgs({ options: { draws: { type: 'string' }, seed: { type: 'string' } } })
const draws = Number(values.draws ?? 1_000)
const seed = Number(values.seed ?? 1)
const ARCHIVES = 4
const PAGES = 45_000
const DELTA = 0.05
const THRESHOLD = 0.5
/** Samples of whole documents hold thousands of pages: fewer of them are drawn. */
const WHOLE_SHARE = 0.3

const random = new Random(seed)
const archives = Array.from({ length: ARCHIVES }, () => simulatedArchive(random, PAGES))
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

console.log(`${draws} draws over ${ARCHIVES} archives of ${PAGES} pages, seed ${seed}\n`)
console.log('| drawn | sample | risk | draws | certificates wrong | nothing certified | kept, of what could be kept |')
console.log(`|${'---|'.repeat(7)}`)
for (const [name, unit, draw] of [
  ['single pages', 'pages', singlePages],
  ['whole documents', 'pages', wholeDocuments],
  ['whole documents', 'documents', manyDocuments],
] as const) {
  const rounds = draw === singlePages ? draws : Math.round(draws * WHOLE_SHARE)
  for (const count of [200, 500]) {
    for (const risk of [0.02, 0.05, 0.1]) console.log(rowOf({ name, unit, draw, rounds }, count, risk))
  }
}
console.log(`\nprice intervals from 200 pages that hold the charge: ${percent(holding())}`)

interface Drawing {
  readonly name: string
  /** What `count` counts. */
  readonly unit: string
  readonly draw: (archive: SimulatedArchive, count: number, random: Random) => ReturnType<typeof singlePages>
  readonly rounds: number
}

function rowOf({ name, unit, draw, rounds }: Drawing, count: number, risk: number): string {
  let [wrong, nothing, kept] = [0, 0, 0]
  for (let at = 0; at < rounds; at += 1) {
    const archive = archives[at % ARCHIVES] as SimulatedArchive
    const { threshold, keptShare } = certify(draw(archive, count, random), { risk, delta: DELTA })
    if (threshold === null) nothing += 1
    else if (riskOf(archive, threshold) > risk) wrong += 1
    kept += keptShare / mostKept(archive, risk)
  }
  return `| ${name} | ${count} ${unit} | ${percent(risk)} | ${rounds} | ${percent(wrong / rounds)} | ${percent(nothing / rounds)} | ${(kept / rounds).toFixed(2)} |`
}

function holding(): number {
  let held = 0
  for (let at = 0; at < draws; at += 1) {
    const archive = archives[at % ARCHIVES] as SimulatedArchive
    const hardOf = (pages: readonly { badProbability: number }[]): number =>
      pages.filter(({ badProbability }) => badProbability > THRESHOLD).length
    const charge = archive.documents.reduce((sum, pages) => sum + hardOf(pages), 0)
    const sample = singlePages(archive, 200, random)
    const size = { documents: archive.documents.length, pages: archive.sorted.length }
    const prices = { firstPageCredits: 1, furtherPageCredits: 1 }
    const { low, high } = priceFromSample({ hard: hardOf(sample), sampled: sample.length }, { ...size, ...prices })
    if (low <= charge && charge <= high) held += 1
  }
  return held / draws
}
