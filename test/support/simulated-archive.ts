import type { AuditedPage } from '#src/route/audit/certify.ts'
import { samplePages } from '#src/route/audit/sample-pages.ts'
import type { Random } from './random.ts'

/** An archive whose pages are all known: what a certificate says is compared with all of them, not with another sample. */
export interface SimulatedArchive {
  readonly documents: readonly (readonly AuditedPage[])[]
  /** All predictions, ascending, and how many of the pages up to each differ. */
  readonly sorted: Float64Array
  readonly differing: Uint32Array
}

const MAX_PAGES = 80

/** Documents of 1 to 80 pages; a third of the pages scanned, half of these in documents that share a fate. */
export function simulatedArchive(random: Random, pages: number): SimulatedArchive {
  const documents: AuditedPage[][] = []
  for (let made = 0; made < pages;) {
    const length = Math.min(MAX_PAGES, Math.floor(Math.exp(random.next() * Math.log(MAX_PAGES + 1))))
    const allScanned = random.next() < 0.17
    const shared = random.next()
    const document = `d${documents.length}`
    documents.push(
      Array.from({ length }, () => {
        const isScanned = allScanned || random.next() < 0.19
        const differs = isScanned && (allScanned && random.next() < 0.7 ? shared < 0.5 : random.next() < 0.5)
        const score = normal(random) * 1.9 + (differs ? 2.8 : isScanned ? -2.8 : -5)
        return { document, differs, badProbability: 1 / (1 + Math.exp(-score)) }
      }),
    )
    made += length
  }
  const inOrder = documents.flat().toSorted((a, b) => a.badProbability - b.badProbability)
  const differing = new Uint32Array(inOrder.length)
  let bad = 0
  for (const [at, { differs }] of inOrder.entries()) differing[at] = bad += differs ? 1 : 0
  return { documents, sorted: Float64Array.from(inOrder, ({ badProbability }) => badProbability), differing }
}

/** Share of the pages kept by a threshold that differ; 0 where none is kept. */
export function riskOf({ sorted, differing }: SimulatedArchive, threshold: number): number {
  let [kept, above] = [0, sorted.length]
  while (kept < above) {
    const middle = (kept + above) >> 1
    if ((sorted[middle] ?? 0) <= threshold) kept = middle + 1
    else above = middle
  }
  return kept === 0 ? 0 : (differing[kept - 1] ?? 0) / kept
}

/** Largest share of the pages that a threshold can keep at this risk. */
export function mostKept({ differing }: SimulatedArchive, risk: number): number {
  const most = differing.findLastIndex((bad, at) => bad <= risk * (at + 1)) + 1
  return most / differing.length
}

/** As `sluice audit` draws them. */
export function singlePages({ documents }: SimulatedArchive, count: number, random: Random): AuditedPage[] {
  const keys = documents.map((document, at) => ({ key: String(at).padStart(8, '0'), pages: document.length }))
  return samplePages(keys, count, () => random.next()).flatMap(
    ({ key, pageNumber }) => documents[Number(key)]?.[pageNumber - 1] ?? [],
  )
}

/** Whole documents, with replacement, until there are so many pages. */
export function wholeDocuments({ documents }: SimulatedArchive, count: number, random: Random): AuditedPage[] {
  const drawn: AuditedPage[] = []
  for (let at = 0; drawn.length < count; at += 1) drawn.push(...numbered(random.pick(documents), at))
  return drawn
}

/** A document that is drawn twice counts as two. */
function numbered(document: readonly AuditedPage[], at: number): AuditedPage[] {
  return document.map((page) => ({ ...page, document: `${page.document} ${at}` }))
}

/** Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}
