import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import { withPdfProblems } from './pdf-problem.ts'

/** A page as the library read it; null where it could not: the document goes on without it. */
export interface ReadPage {
  readonly pageNumber: number
  readonly page: ParsedPage | null
}

/** Pages held in memory at once: 10,000 pages in one piece take 2.6 GB and more (notes, engine libraries). */
const BATCH_PAGES = 32

/** Reads the text layer of a PDF, a batch of pages at a time. Throws `ConversionError` for a broken or locked file. */
export async function* readPages(path: string, maxPages: number): AsyncGenerator<readonly ReadPage[]> {
  const parser = new LiteParse({
    maxPages,
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
  })
  const batches = parser.parseBatches(path, { batchSize: BATCH_PAGES })
  try {
    for (;;) {
      const { done, value } = await withPdfProblems(() => batches.next())
      if (done === true) return
      const found = new Map(value.result.pages.map((page) => [page.pageNum, page]))
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
