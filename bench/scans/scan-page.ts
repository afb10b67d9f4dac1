import Pdf from 'pdfkit'
import type { PageDrawing } from '../../packages/engine/src/pdf/ink/grey-picture.ts'
import { levelled, turnedBack } from '../../packages/engine/src/pdf/ink/picture-ops.ts'
import { damaged } from '../../test/support/mixed-pages/damage.ts'
import { drawnPage } from '../../test/support/mixed-pages/drawn-page.ts'
import { writePdf } from '../../test/support/mixed-pages/write-pdf.ts'
import { Random } from '../../test/support/random.ts'
import { type Fonts, nameInFile } from './fonts.ts'
import { drawnProse, type Language, LATIN } from './prose.ts'

/** How a page differs from a level one of black English prose on white. */
export const SCAN_KINDS = [
  'plain',
  'skew',
  'noise',
  'fax',
  'jpeg',
  'coloured paper',
  'two columns',
  'table',
  'accents',
  'chinese',
  'chinese and english',
  'turned',
] as const
export type ScanKind = (typeof SCAN_KINDS)[number]

/** A scan whose words are known exactly. */
export interface ScanPage {
  readonly seed: number
  readonly kind: ScanKind
  readonly language: Language
  /** Its vocabulary and typeface. */
  readonly source: number
  readonly sizePoints: number
  readonly dpi: number
  /** What a person reads on it, in order. */
  readonly truth: string
  readonly pdf: Buffer
  /** The same before it was turned. */
  readonly uprightPdf: Buffer
}

/** A5 and A4, in points; the smaller one more often: it takes less time. */
const SHEETS = [
  { width: 420, height: 595, words: 85 },
  { width: 420, height: 595, words: 110 },
  { width: 595, height: 842, words: 150 },
] as const
const MARGIN = 36
const SIZES = [6, 7, 8, 9, 10, 11, 12, 14]
const DPI = [100, 150, 150, 200, 200, 200, 300, 300]
const PAPERS = [
  [255, 240, 190],
  [200, 225, 255],
  [255, 205, 210],
  [205, 240, 200],
  [225, 200, 160],
] as const
const SOURCES = 40
/** A sheet lies askew by this many degrees at the most. */
const MAX_SKEW = 4

/** The page of a seed, the same in every run; kinds take turns. */
export async function scanPage(seed: number, fonts: Fonts, kinds: readonly ScanKind[] = SCAN_KINDS): Promise<ScanPage> {
  const random = new Random(seed)
  const kind = kinds[seed % kinds.length] ?? 'plain'
  const language = languageOf(kind, random)
  const faces = kind.startsWith('chinese') ? fonts.chinese : fonts.latin
  const source = random.below(SOURCES)
  const sizePoints = random.pick(SIZES)
  const dpi = random.pick(DPI)
  const sheet = random.pick(SHEETS)
  const type: Type = { ...sheet, sizePoints, face: faces[source % faces.length] ?? 'Helvetica' }
  const { pdf, truth } = await printed(kind, type, (count) => drawnProse(language, count, source, random), random)
  const upright = damagedAs(kind, await drawnPage(pdf, dpi), random)
  const uprightPdf = sheetOf(upright, kind, random)
  const scan = kind === 'turned' ? sheetOf(turnedBack(upright, random.pick([90, 180, 270])), kind, random) : uprightPdf
  return { seed, kind, language, source, sizePoints, dpi, truth, pdf: scan, uprightPdf }
}

function languageOf(kind: ScanKind, random: Random): Language {
  if (kind === 'accents') return random.pick(LATIN)
  if (kind === 'chinese') return 'Chinese'
  return kind === 'chinese and english' ? 'Chinese and English' : 'English'
}

interface Type {
  readonly width: number
  readonly height: number
  /** About as many words as the sheet is to have. */
  readonly words: number
  readonly sizePoints: number
  /** Path of its file. */
  readonly face: string
}

interface Printed {
  readonly pdf: Buffer
  readonly truth: string
}

async function printed(kind: ScanKind, type: Type, prose: (count: number) => string, random: Random): Promise<Printed> {
  const pdf = new Pdf({ size: [type.width, type.height], margin: 0 })
  const name = nameInFile(type.face)
  if (name === undefined) pdf.font(type.face)
  else pdf.font(type.face, name)
  pdf.fontSize(type.sizePoints)
  const truth =
    kind === 'table'
      ? printedTable(pdf, type, prose, random)
      : printedColumns(pdf, type, kind === 'two columns' ? 2 : 1, prose)
  pdf.end()
  return { pdf: Buffer.concat(await pdf.toArray()), truth }
}

type Drawer = InstanceType<typeof Pdf>

const LEADING = 0.25
const COLUMN_GAP = 24
const PARAGRAPH_WORDS = 38

/** Paragraphs down one column after the other, as many as fit. */
function printedColumns(
  pdf: Drawer,
  { width, height, words, sizePoints }: Type,
  columns: number,
  prose: (count: number) => string,
): string {
  const columnWidth = (width - 2 * MARGIN - (columns - 1) * COLUMN_GAP) / columns
  const style = { width: columnWidth, lineGap: LEADING * sizePoints }
  const texts: string[] = []
  for (let column = 0; column < columns; column += 1) {
    let top = MARGIN
    for (let left = words / columns; left > 0; left -= PARAGRAPH_WORDS) {
      const text = prose(Math.min(PARAGRAPH_WORDS, Math.ceil(left)))
      const needed = pdf.heightOfString(text, style)
      if (top + needed > height - MARGIN) break
      pdf.text(text, MARGIN + column * (columnWidth + COLUMN_GAP), top, style)
      texts.push(text)
      top += needed + 0.6 * sizePoints
    }
  }
  return texts.join('\n')
}

/** A sentence, and a table of words and numbers below it, ruled or not. */
function printedTable(pdf: Drawer, type: Type, prose: (count: number) => string, random: Random): string {
  const [columns, rows, isRuled] = [3 + random.below(2), 6 + random.below(8), random.next() < 0.6]
  const [intro, step, left] = [prose(20), type.sizePoints * 1.9, MARGIN]
  const columnWidth = (type.width - 2 * MARGIN) / columns
  pdf.text(intro, left, MARGIN, { width: type.width - 2 * MARGIN })
  const top = MARGIN + pdf.heightOfString(intro, { width: type.width - 2 * MARGIN }) + 2 * type.sizePoints
  const lines = [intro]
  for (let row = 0; row < rows; row += 1) {
    const y = top + row * step
    const cells = Array.from({ length: columns }, (_, column) =>
      row > 0 && column > 0 ? String(random.below(90_000) + 10) : prose(1).replace('.', ''),
    )
    for (const [column, cell] of cells.entries()) {
      pdf.text(cell, left + column * columnWidth + 4, y + 0.4 * type.sizePoints, { lineBreak: false })
    }
    if (isRuled) for (let x = 0; x < columns; x += 1) pdf.rect(left + x * columnWidth, y, columnWidth, step).stroke()
    lines.push(cells.join(' '))
  }
  return lines.join('\n')
}

/** What a scanner or a fax machine makes of the sheet; the slightest noise is on each of them. */
function damagedAs(kind: ScanKind, drawing: PageDrawing, random: Random): PageDrawing {
  if (kind === 'skew') return levelled(drawing, ((random.next() * 2 - 1) * MAX_SKEW * Math.PI) / 180)
  if (kind === 'noise' || kind === 'fax') return damaged(drawing, kind, random, kind === 'noise' ? 0.5 : 1)
  return kind === 'plain' && random.next() < 0.5 ? damaged(drawing, 'blur', random, 0.5) : drawing
}

function sheetOf(picture: PageDrawing, kind: ScanKind, random: Random): Buffer {
  const [width, height] = [picture.width / picture.perPoint, picture.height / picture.perPoint]
  const paper = kind === 'coloured paper' ? random.pick(PAPERS) : undefined
  const jpegQuality = kind === 'jpeg' ? 12 + random.below(25) : paper === undefined ? null : 70
  const whole = { picture, x: 0, top: 0, width, height, jpegQuality, ...(paper === undefined ? {} : { paper }) }
  return writePdf({ width, height, pictures: [whole], inForm: false })
}
