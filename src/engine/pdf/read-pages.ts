import { LiteParse, type LiteParseConfig, type ParsedPage } from '@llamaindex/liteparse'
import { withPdfProblems } from './pdf-problem.ts'

/** A page as the library read it; null where it could not: the document goes on without it. */
export interface ReadPage {
  readonly pageNumber: number
  readonly page: ParsedPage | null
}

/** Pages held in memory at once: 10,000 pages in one piece take 2.6 GB and more (notes, engine libraries). */
const BATCH_PAGES = 32

const READING: Partial<LiteParseConfig> = {
  ocrEnabled: false,
  outputFormat: 'json',
  imageMode: 'placeholder',
  extractBlocks: true,
  emitWordBoxes: true,
  extractVectorGraphics: true,
  extractAnnotations: true,
  includeComplexity: true,
  continueOnPageError: true,
  quiet: true,
}

/** Reads the text layer of a PDF, a batch of pages at a time. Throws `ConversionError` for a broken or locked file. */
export async function* readPages(path: string, maxPages: number): AsyncGenerator<readonly ReadPage[]> {
  const batches = new LiteParse({ ...READING, maxPages }).parseBatches(path, { batchSize: BATCH_PAGES })
  try {
    for (;;) {
      const { done, value } = await withPdfProblems(() => batches.next())
      if (done === true) return
      const turned = await uprightPages(path, value.result.pages)
      const found = new Map([...value.result.pages, ...turned].map((page) => [page.pageNum, page]))
      const count = value.endPage - value.startPage + 1
      yield Array.from({ length: count }, (_, index) => {
        const pageNumber = value.startPage + index
        return { pageNumber, page: found.get(pageNumber) ?? null }
      })
    }
  } finally {
    await batches.return(undefined)
  }
}

/** Reads those pages again whose text is set sideways or upside down, turned so that it stands upright. */
async function uprightPages(path: string, pages: readonly ParsedPage[]): Promise<readonly ParsedPage[]> {
  const corrections = pages.flatMap((page) => {
    const angle = turnOf(page)
    return angle === 0 ? [] : [{ page: page.pageNum, angle }]
  })
  if (corrections.length === 0) return []
  const targetPages = corrections.map(({ page }) => page).join(',')
  const parser = new LiteParse({ ...READING, targetPages, pageOrientationCorrections: corrections })
  return (await withPdfProblems(() => parser.parse(path))).pages
}

/** Clockwise degrees by which most letters of a page are turned. */
function turnOf(page: ParsedPage): 0 | 90 | 180 | 270 {
  const letters = (angle: number): number =>
    page.textItems
      .filter((item) => Math.round((item.rotation ?? 0) / 90) * 90 === angle)
      .reduce((sum, item) => sum + item.text.length, 0)
  const all = page.textItems.reduce((sum, item) => sum + item.text.length, 0)
  return ([90, 180, 270] as const).find((angle) => letters(angle) > 0.6 * all) ?? 0
}
