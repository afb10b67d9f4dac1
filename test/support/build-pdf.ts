import { deflateSync } from 'node:zlib'
import Pdf from 'pdfkit'
import { pdfFile, type PdfObject, pdfStream } from './pdf-objects.ts'

export interface PdfPage {
  /** Content stream operators, as `text` and `line` below write them. */
  readonly content: string
  /** An 8-bit grey picture that fills the page. */
  readonly picture?: { readonly width: number; readonly height: number; readonly grey: Uint8Array }
  /** Where the picture stands, in points from the lower left corner: x0, y0, x1, y1; default: it fills the page. */
  readonly pictureBox?: readonly [number, number, number, number]
  /** Degrees by which the picture lies askew, clockwise, as a sheet fed crookedly into a scanner. */
  readonly skew?: number
  /** Clockwise turn of the page, as in `/Rotate`. */
  readonly rotate?: 0 | 90 | 180 | 270
  /** What of the page is shown, in points from the lower left corner: x0, y0, x1, y1. */
  readonly cropBox?: readonly [number, number, number, number]
  /** Width and height in points; default: 612 by 792. */
  readonly size?: readonly [number, number]
}

export interface PdfOptions {
  /** XMP properties as XML elements, e.g. `<dc:title>…</dc:title>`. */
  readonly xmp?: string
}

const PAGE_WIDTH = 612
const PAGE_HEIGHT = 792

type Font = 'regular' | 'bold' | 'italic'
/** Fonts of all characters, which are not in the file; only a file that names them has them. */
const UNICODE_FONTS = { wide: '/F4', narrow: '/F5' } as const
const FONT_NAMES = { regular: '/F1', bold: '/F2', italic: '/F3' } as const

/** Operators that write `value` with its baseline `top` points below the page's upper edge. */
export function text(x: number, top: number, value: string, size = 11, font: Font = 'regular'): string {
  const escaped = value.replace(/[\\()]/g, (character) => `\\${character}`)
  return `BT ${FONT_NAMES[font]} ${size} Tf 1 0 0 1 ${x} ${PAGE_HEIGHT - top} Tm (${escaped}) Tj ET\n`
}

/**
 * Operators that write any script, as words stand on the page from left to right: `turned` words are written backwards. Each
 * character is as wide as the size (`wide`), or half of it.
 */
export function unicodeText(
  x: number,
  top: number,
  value: string,
  size = 11,
  font: 'wide' | 'narrow' = 'wide',
): string {
  const codes = Buffer.from(value, 'utf16le').swap16().toString('hex')
  return `BT ${UNICODE_FONTS[font]} ${size} Tf 1 0 0 1 ${x} ${PAGE_HEIGHT - top} Tm <${codes}> Tj ET\n`
}

/** Several lines of text, one below the other. */
export function paragraph(x: number, top: number, lines: readonly string[], size = 11): string {
  return lines.map((row, index) => text(x, top + index * size * 1.25, row, size)).join('')
}

/** A thin stroke between two points, `top` counted from the page's upper edge. */
export function line(x1: number, top1: number, x2: number, top2: number): string {
  return `0.5 w ${x1} ${PAGE_HEIGHT - top1} m ${x2} ${PAGE_HEIGHT - top2} l S\n`
}

type Add = (object: PdfObject) => number

export function buildPdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer<ArrayBuffer> {
  const objects: PdfObject[] = []
  const add: Add = (object) => objects.push(object)
  add(`<</Type/Catalog/Pages 2 0 R${options.xmp === undefined ? '' : '/Metadata 3 0 R'}>>`)
  add('')
  add(pdfStream('/Type/Metadata/Subtype/XML', Buffer.from(xmpPacket(options.xmp ?? ''))))
  const fonts = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique'].map((name) =>
    add(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`),
  )
  if (pages.some(({ content }) => /\/F[45] /.test(content))) fonts.push(...[1000, 500].map((w) => unicodeFont(add, w)))
  const fontTable = fonts.map((number, index) => `/F${index + 1} ${number} 0 R`).join('')
  const kids = pages.map((page) => addPage(add, page, fontTable))
  objects[1] = `<</Type/Pages/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]/Count ${kids.length}>>`
  return pdfFile(objects)
}

/** A page with this text that opens only with the password. */
export async function lockedPdf(content: string, userPassword: string): Promise<Buffer<ArrayBuffer>> {
  const pdf = new Pdf({ userPassword })
  pdf.text(content).end()
  return Buffer.concat(await pdf.toArray())
}

function addPage(add: Add, page: PdfPage, fontTable: string): number {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => of(((page.skew ?? 0) * Math.PI) / 180)) as [number, number]
  const [x0, y0, x1, y1] = page.pictureBox ?? [0, 0, PAGE_WIDTH, PAGE_HEIGHT]
  const matrix = `${cos} ${-sin} ${sin} ${cos} 0 0 cm ${x1 - x0} 0 0 ${y1 - y0} ${x0} ${y0} cm`
  const draw = page.picture === undefined ? '' : `q ${matrix} /Im Do Q\n`
  const contents = add(pdfStream('', draw + page.content))
  const picture =
    page.picture === undefined
      ? ''
      : `/XObject<</Im ${add(
          pdfStream(
            `/Type/XObject/Subtype/Image/Width ${page.picture.width}/Height ${page.picture.height}` +
              '/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode',
            deflateSync(page.picture.grey),
          ),
        )} 0 R>>`
  const [width, height] = page.size ?? [PAGE_WIDTH, PAGE_HEIGHT]
  const shown = page.cropBox === undefined ? '' : `/CropBox[${page.cropBox.join(' ')}]`
  return add(
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]${shown}/Rotate ${page.rotate ?? 0}` +
      `/Contents ${contents} 0 R/Resources<</Font<<${fontTable}>>${picture}>>>>`,
  )
}

/** A font whose codes are the characters themselves, all of the width `advance` in thousandths of the size. */
function unicodeFont(add: Add, advance: number): number {
  const ranges = Array.from({ length: 256 }, (_, high) => {
    const page = high.toString(16).padStart(2, '0')
    return `<${page}00> <${page}ff> <${page}00>\n`
  })
  const blocks = [0, 64, 128, 192].map(
    (from) => `64 beginbfrange\n${ranges.slice(from, from + 64).join('')}endbfrange\n`,
  )
  const map = add(
    pdfStream(
      '',
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n' +
        `1 begincodespacerange <0000> <ffff> endcodespacerange\n${blocks.join('')}endcmap end end\n`,
    ),
  )
  const system = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>'
  const descriptor = add(
    `<</Type/FontDescriptor/FontName/Unicode${advance}/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880` +
      '/Descent -120/CapHeight 700/StemV 80>>',
  )
  const glyphs = add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/Unicode${advance}${system}/DW ${advance}/FontDescriptor ${descriptor} 0 R>>`,
  )
  return add(
    `<</Type/Font/Subtype/Type0/BaseFont/Unicode${advance}/Encoding/Identity-H/DescendantFonts[${glyphs} 0 R]` +
      `/ToUnicode ${map} 0 R>>`,
  )
}

function xmpPacket(properties: string): string {
  return (
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
    `xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">${properties}` +
    '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  )
}
