import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import type { Random } from '../../test/support/random.ts'
import type { JudgedPage } from './held-out.ts'

/** A page of a mix, and the document that it stands in. */
export interface MixedPage {
  readonly document: number
  readonly page: JudgedPage
}

export interface Mix {
  readonly pages: readonly MixedPage[]
  readonly documents: number
  /** How many different pages it has: a pool that is too small repeats itself. */
  readonly distinct: number
}

const MOST_PAGES = 80
/** Scanned pages of a document that is not scanned as a whole. */
const STREWN = 3

/**
 * Documents of 1 to 80 pages, short ones more often than long ones. Half of the scanned pages make documents of their own,
 * half are strewn, three to a document. A page that was born damaged counts as scanned.
 */
export function mixOf(pool: readonly JudgedPage[], count: number, scannedShare: number, random: Random): Mix {
  const deal = {
    scanned: dealer(
      pool.filter((page) => !born(page)),
      random,
    ),
    born: dealer(pool.filter(born), random),
  }
  const scanned = Math.round(count * scannedShare)
  const whole = Math.round(scanned / 2)
  const pages: MixedPage[] = []
  let [document, strewn] = [0, scanned - whole]
  const length = (most: number): number =>
    Math.min(most, Math.floor(Math.exp(random.next() * Math.log(MOST_PAGES + 1))))
  const add = (how: (at: number) => JudgedPage, pagesOf: number): void => {
    for (let at = 0; at < pagesOf; at += 1) pages.push({ document, page: how(at) })
    document += 1
  }
  while (pages.length < whole) add(deal.scanned, length(whole - pages.length))
  while (pages.length < count) {
    const here = length(count - pages.length)
    const left = count - pages.length - here
    // What is not strewn yet must fit into what is left.
    const few = Math.min(strewn, here, Math.max(STREWN * (random.next() < 0.8 ? 1 : 0), strewn - left))
    strewn -= few
    add((at) => (at < few ? deal.scanned() : deal.born()), here)
  }
  return { pages, documents: document, distinct: new Set(pages.map(({ page }) => page.draw.seed)).size }
}

const born = ({ draw }: JudgedPage): boolean => isBornDigital(draw.kind)

/** Hands out the pages of a pool in random order, each once before any comes again. */
function dealer(pool: readonly JudgedPage[], random: Random): () => JudgedPage {
  let left: JudgedPage[] = []
  return () => {
    if (left.length === 0) left = shuffled(pool, random)
    const page = left.pop()
    if (page === undefined) throw new Error('the files hold no page of this kind: read born-digital and scanned pages')
    return page
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const shuffling = [...items]
  for (let at = shuffling.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1)
    ;[shuffling[at], shuffling[other]] = [shuffling[other] as T, shuffling[at] as T]
  }
  return shuffling
}
