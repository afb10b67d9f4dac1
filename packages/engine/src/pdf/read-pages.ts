import { LiteParse, type LiteParseConfig, type ParseBatch, type ParsedPage } from '@llamaindex/liteparse'
import { ConversionError } from '../conversion.ts'
import { requirePdf, withPdfProblems } from './page/pdf-problem.ts'
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

export interface PdfFacts {
  readonly totalPages: number
  /** The password that opens it; null for a PDF that needs none. */
  readonly password: string | null
}

/** A PDF whose first batch of pages has been read. */
export interface OpenPdf extends PdfFacts, AsyncDisposable {
  /** Reads the text layer up to page `limit`, a batch of pages at a time; to be called once. */
  batches(limit: number): AsyncGenerator<readonly ReadPage[]>
}

interface OpenOptions {
  /** Tried in turn on an encrypted PDF; default none. */
  readonly passwords?: readonly string[] | undefined
  /** Pages that are read; default all. */
  readonly maxPages?: number | undefined
}

/**
 * Opens a PDF; an encrypted one is tried with each password. Throws `ConversionError`, as its batches do, for a file that is no
 * PDF, is damaged or stays encrypted.
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
