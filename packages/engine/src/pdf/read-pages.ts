import { LiteParse, type LiteParseConfig, type ParseBatch, type ParsedPage } from '@llamaindex/liteparse'
import { ConversionError } from '../conversion.ts'
import { requirePdf, withPdfProblems } from './page/pdf-problem.ts'
import type { ReadPage, Turn } from './page/text-layer.ts'

/** Number of pages in memory at once. 10,000 pages in one batch take 2.6 GB or more (notes, engine libraries). */
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

export interface PdfFacts {
  readonly totalPages: number
  /** Password that opens the PDF. Null if it needs none. */
  readonly password: string | null
}

/** An open PDF with its first batch of pages already parsed. */
export interface OpenPdf extends PdfFacts, AsyncDisposable {
  /** Reads the text layer up to page `limit` in batches. Call it once. */
  batches(limit: number): AsyncGenerator<readonly ReadPage[]>
}

interface OpenOptions {
  /** Passwords to try in order on an encrypted PDF. Default: none. */
  readonly passwords?: readonly string[] | undefined
  /** Maximum number of pages to read. Default: all. */
  readonly maxPages?: number | undefined
}

/**
 * Opens a PDF, and tries each password on an encrypted one. Throws `ConversionError` if the file is not a PDF, is
 * damaged or stays encrypted. Its batches throw the same.
 */
export async function openPdf(path: string, { passwords = [], maxPages }: OpenOptions = {}): Promise<OpenPdf> {
  await requirePdf(path)
  let locked: unknown
  for (const password of [null, ...passwords]) {
    try {
      return await opened(path, password, maxPages)
    } catch (error) {
      if (!(error instanceof ConversionError) || error.problem !== 'encrypted') throw error
      locked ??= error
    }
  }
  throw locked
}

async function opened(path: string, password: string | null, maxPages: number | undefined): Promise<OpenPdf> {
  const reading = password === null ? READING : { ...READING, password }
  const limited = maxPages === undefined ? reading : { ...reading, maxPages }
  const source = new LiteParse(limited).parseBatches(path, { batchSize: BATCH_PAGES })
  const next = () => withPdfProblems(() => source.next())
  const first = await next()
  return {
    totalPages: first.done === true ? 0 : first.value.totalPages,
    password,
    [Symbol.asyncDispose]: async () => void (await source.return(undefined)),
    async *batches(limit) {
      for (let batch = first; batch.done !== true && batch.value.startPage <= limit; batch = await next()) {
        yield upright(path, batch.value, limit, reading)
      }
    },
  }
}

async function upright(
  path: string,
  { startPage, endPage, result }: ParseBatch,
  limit: number,
  reading: Partial<LiteParseConfig>,
): Promise<readonly ReadPage[]> {
  const last = Math.min(endPage, limit)
  const pages = result.pages.filter(({ pageNum }) => pageNum <= last)
  const turns = turnsOf(pages)
  const turned = await uprightPages(path, turns, reading)
  const found = new Map([...pages, ...turned].map((page) => [page.pageNum, page]))
  return Array.from({ length: last - startPage + 1 }, (_, index) => {
    const pageNumber = startPage + index
    return { pageNumber, page: found.get(pageNumber) ?? null, turn: turns.get(pageNumber) ?? 0 }
  })
}

/** Returns the rotation of each page with rotated text, by page number. */
export function turnsOf(pages: readonly ParsedPage[]): Map<number, Turn> {
  return new Map(pages.map((page) => [page.pageNum, turnOf(page)] as const).filter(([, turn]) => turn !== 0))
}

/** Parses those pages again, rotated so that their text is upright. */
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

/** Returns the clockwise rotation of most letters of a page, in degrees. */
function turnOf(page: ParsedPage): Turn {
  const letters = (angle: number): number =>
    page.textItems
      .filter((item) => Math.round((item.rotation ?? 0) / 90) * 90 === angle)
      .reduce((sum, item) => sum + item.text.length, 0)
  const all = page.textItems.reduce((sum, item) => sum + item.text.length, 0)
  return ([90, 180, 270] as const).find((angle) => letters(angle) > 0.6 * all) ?? 0
}
