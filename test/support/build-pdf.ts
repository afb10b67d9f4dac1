import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

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
  /** Opens only with this password (standard security handler, revision 2). */
  readonly password?: string
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

/** A PDF file with one object after the other and a classic cross-reference table: nothing that hides its bytes. */
export function buildPdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer {
  const objects: Buffer[] = []
  const add = (body: string | Buffer): number => objects.push(Buffer.from(body))
  add(`<</Type/Catalog/Pages 2 0 R${options.xmp === undefined ? '' : '/Metadata 3 0 R'}>>`)
  add('')
  add(stream('/Type/Metadata/Subtype/XML', Buffer.from(xmpPacket(options.xmp ?? ''))))
  const fonts = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique'].map((name) =>
    add(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`),
  )
  if (pages.some(({ content }) => /\/F[45] /.test(content))) fonts.push(...[1000, 500].map((w) => unicodeFont(add, w)))
  const fontTable = fonts.map((number, index) => `/F${index + 1} ${number} 0 R`).join('')
  const kids = pages.map((page) => addPage(add, page, fontTable))
  objects[1] = Buffer.from(`<</Type/Pages/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]/Count ${kids.length}>>`)
  const encryption = options.password === undefined ? null : encryptionDictionary(options.password)
  if (encryption !== null) add(encryption.dictionary)
  return file(objects, encryption === null ? '' : `/Encrypt ${objects.length} 0 R/ID[${encryption.id}${encryption.id}]`)
}

function addPage(add: (body: string | Buffer) => number, page: PdfPage, fontTable: string): number {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => of(((page.skew ?? 0) * Math.PI) / 180)) as [number, number]
  const [x0, y0, x1, y1] = page.pictureBox ?? [0, 0, PAGE_WIDTH, PAGE_HEIGHT]
  const matrix = `${cos} ${-sin} ${sin} ${cos} 0 0 cm ${x1 - x0} 0 0 ${y1 - y0} ${x0} ${y0} cm`
  const draw = page.picture === undefined ? '' : `q ${matrix} /Im Do Q\n`
  const contents = add(stream('', Buffer.from(draw + page.content, 'latin1')))
  const picture =
    page.picture === undefined
      ? ''
      : `/XObject<</Im ${add(
          stream(
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
function unicodeFont(add: (body: string | Buffer) => number, advance: number): number {
  const ranges = Array.from({ length: 256 }, (_, high) => {
    const page = high.toString(16).padStart(2, '0')
    return `<${page}00> <${page}ff> <${page}00>\n`
  })
  const blocks = [0, 64, 128, 192].map(
    (from) => `64 beginbfrange\n${ranges.slice(from, from + 64).join('')}endbfrange\n`,
  )
  const map = add(
    stream(
      '',
      Buffer.from(
        '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n' +
          `1 begincodespacerange <0000> <ffff> endcodespacerange\n${blocks.join('')}endcmap end end\n`,
      ),
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

function stream(dictionary: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${data.length}>>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

function file(objects: readonly Buffer[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')]
  const offsets: number[] = []
  let position = parts[0]?.length ?? 0
  const push = (part: Buffer): void => {
    parts.push(part)
    position += part.length
  }
  objects.forEach((body, index) => {
    offsets.push(position)
    push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]))
  })
  const start = position
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`))
  push(Buffer.from(`trailer<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}

function xmpPacket(properties: string): string {
  return (
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
    `xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">${properties}` +
    '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  )
}

/** PDF 1.7, section 7.6.3, algorithms 2 to 4 for a key of 40 bits: old, but every reader knows it. */
function encryptionDictionary(password: string): { readonly dictionary: string; readonly id: string } {
  const padding = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex')
  const padded = (secret: string): Buffer => Buffer.concat([Buffer.from(secret), padding]).subarray(0, 32)
  const md5 = (data: Buffer): Buffer => createHash('md5').update(data).digest()
  const id = Buffer.alloc(16, 7)
  const permissions = Buffer.alloc(4)
  permissions.writeInt32LE(-44)
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(password))
  const key = md5(Buffer.concat([padded(password), owner, permissions, id])).subarray(0, 5)
  const user = rc4(key, padding)
  const dictionary = `<</Filter/Standard/V 1/R 2/O<${owner.toString('hex')}>/U<${user.toString('hex')}>/P -44>>`
  return { dictionary, id: `<${id.toString('hex')}>` }
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const at = (index: number): number => state[index & 255] ?? 0
  const swap = (first: number, second: number): void => {
    const kept = at(first)
    state[first & 255] = at(second)
    state[second & 255] = kept
  }
  let j = 0
  for (let i = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  j = 0
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 255
      j = (j + at(i)) & 255
      swap(i, j)
      return byte ^ at(at(i) + at(j))
    }),
  )
}
