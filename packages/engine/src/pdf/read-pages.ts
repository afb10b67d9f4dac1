import { LiteParse, type LiteParseConfig, type ParsedPage } from '@llamaindex/liteparse'
import { withPdfProblems } from './page/pdf-problem.ts'
import type { ReadPage, Turn } from './page/text-layer.ts'

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
export async function* readPages(
  path: string,
  maxPages: number,
  password: string | null = null,
): AsyncGenerator<readonly ReadPage[]> {
  const reading = password === null ? READING : { ...READING, password }
  const batches = new LiteParse({ ...reading, maxPages }).parseBatches(path, { batchSize: BATCH_PAGES })
  try {
    for (;;) {
      const { done, value } = await withPdfProblems(() => batches.next())
      if (done === true) return
      const turns = turnsOf(value.result.pages)
      const turned = await uprightPages(path, turns, reading)
      const found = new Map([...value.result.pages, ...turned].map((page) => [page.pageNum, page]))
      const count = value.endPage - value.startPage + 1
      yield Array.from({ length: count }, (_, index) => {
        const pageNumber = value.startPage + index
        return { pageNumber, page: found.get(pageNumber) ?? null, turn: turns.get(pageNumber) ?? 0 }
      })
    }
  } finally {
    await batches.return(undefined)
  }
}

/** The pages whose text is set sideways or upside down, by page number. */
export function turnsOf(pages: readonly ParsedPage[]): Map<number, Turn> {
  return new Map(pages.map((page) => [page.pageNum, turnOf(page)] as const).filter(([, turn]) => turn !== 0))
}

/** Reads those pages again, turned so that their text stands upright. */
async function uprightPages(
  path: string,
  turns: ReadonlyMap<number, Turn>,
  reading: Partial<LiteParseConfig>,
): Promise<readonly ParsedPage[]> {
  if (turns.size === 0) return []
  const targetPages = [...turns.keys()].join(',')
  const pageOrientationCorrections = [...turns].map(([page, angle]) => ({ page, angle }))
  const parser = new LiteParse({ ...reading, targetPages, pageOrientationCorrections })
  return (await withPdfProblems(() => parser.parse(path))).pages
}

/** Clockwise degrees by which most letters of a page are turned. */
function turnOf(page: ParsedPage): Turn {
  const letters = (angle: number): number =>
    page.textItems
      .filter((item) => Math.round((item.rotation ?? 0) / 90) * 90 === angle)
      .reduce((sum, item) => sum + item.text.length, 0)
  const all = page.textItems.reduce((sum, item) => sum + item.text.length, 0)
  return ([90, 180, 270] as const).find((angle) => letters(angle) > 0.6 * all) ?? 0
}
