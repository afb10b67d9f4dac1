import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import { decodeChannels, type Planes } from '../pdf/ink/decode-png.ts'
import type { Turn } from '../pdf/page/text-layer.ts'
import { encodeColourPng } from '../pdf/ink/encode-png.ts'
import { POINTS_PER_INCH } from '../pdf/ink/grey-picture.ts'
import { turnsOf } from '../pdf/read-pages.ts'

export interface FigureBox {
  /** 1-based. */
  readonly page: number
  /** [x0, y0, x1, y1], 0 to 1, on the page as the parser read it. */
  readonly bbox: readonly [number, number, number, number]
  /** Aspect ratio, width by height, of the page as the parser read it. Null if unknown. */
  readonly aspect: number | null
}

export interface FiguresToCrop {
  /** A file name that ends in `.pdf`. */
  readonly path: string
  readonly dpi: number
  /** True if the engine read the pages. It rotates pages with rotated text upright. */
  readonly turnsPages: boolean
  readonly figures: readonly FigureBox[]
}

/** Maximum number of RGBA pixels of a page. A larger page is drawn at a lower resolution. */
const MAX_PIXELS = 12_000_000

/** Threshold: difference of aspect ratios. A larger one means different pages. */
const SAME_SHAPE = 0.02

/** Threshold in pixels. A narrower crop is empty. */
const MIN_PIXELS = 2

/**
 * Crops figures from their pages. Opens the file once to read the rotation of its pages, and once for each render
 * resolution. Returns a PNG per figure. Null for a figure without a page, or whose page has another aspect ratio than
 * the parser read. Runs native code, so call it in a process that may crash or hang.
 */
export async function cropFigures({
  path,
  dpi,
  turnsPages,
  figures,
}: FiguresToCrop): Promise<readonly (Uint8Array | null)[]> {
  const pages = await measured(path, figures, turnsPages)
  const byDpi = Map.groupBy(pages.keys(), (page) => Math.min(dpi, largestDpi(pages.get(page) as Measured)))
  const images = figures.map((): Uint8Array | null => null)
  for (const [pageDpi, numbers] of byDpi) {
    const turns = numbers.flatMap((page) => ({ page, angle: pages.get(page)?.turn ?? 0 }))
    const drawer = new LiteParse({
      dpi: pageDpi,
      quiet: true,
      pageOrientationCorrections: turns.filter(({ angle }) => angle !== 0),
    })
    for (const { pageNum, imageBuffer } of await drawer.screenshot(path, numbers)) {
      const sheet = decodeChannels(imageBuffer, [0, 1, 2])
      for (const [index, figure] of figures.entries()) {
        if (figure.page === pageNum) images[index] = cropped(sheet, figure)
      }
    }
  }
  return images
}

interface Measured {
  /** In points, after rotation to upright. */
  readonly width: number
  readonly height: number
  readonly turn: Turn
}

async function measured(
  path: string,
  figures: readonly FigureBox[],
  turnsPages: boolean,
): Promise<ReadonlyMap<number, Measured>> {
  const targetPages = [...new Set(figures.map(({ page }) => page))].toSorted((a, b) => a - b).join(',')
  const reader = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'json',
    continueOnPageError: true,
    quiet: true,
    targetPages,
  })
  const { pages } = await reader.parse(path)
  const turns = turnsPages ? turnsOf(pages) : new Map<number, Turn>()
  return new Map(pages.map((page) => [page.pageNum, measuredPage(page, turns.get(page.pageNum) ?? 0)]))
}

const measuredPage = ({ width, height }: ParsedPage, turn: Turn): Measured =>
  turn === 90 || turn === 270 ? { width: height, height: width, turn } : { width, height, turn }

const largestDpi = ({ width, height }: Measured): number =>
  Math.max(1, Math.floor(POINTS_PER_INCH * Math.sqrt(MAX_PIXELS / Math.max(1, width * height))))

/** Includes every pixel that the box touches. */
function cropped({ width, height, planes }: Planes, { bbox, aspect }: FigureBox): Uint8Array | null {
  if (aspect !== null && Math.abs(Math.log(width / height / aspect)) > SAME_SHAPE) return null
  const pixel = (share: number, size: number, round: (value: number) => number): number =>
    Math.min(size, Math.max(0, round(share * size)))
  const [left, top] = [pixel(bbox[0], width, Math.floor), pixel(bbox[1], height, Math.floor)]
  const [right, bottom] = [pixel(bbox[2], width, Math.ceil), pixel(bbox[3], height, Math.ceil)]
  const [wide, high] = [right - left, bottom - top]
  if (wide < MIN_PIXELS || high < MIN_PIXELS) return null
  const rgb = new Uint8Array(wide * high * 3)
  for (let y = 0; y < high; y += 1) {
    for (let x = 0; x < wide; x += 1) {
      const [from, to] = [(top + y) * width + left + x, (y * wide + x) * 3]
      for (const [channel, plane] of planes.entries()) rgb[to + channel] = plane[from] ?? 0
    }
  }
  return encodeColourPng(wide, high, rgb)
}
