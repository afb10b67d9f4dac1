import { deflateSync } from 'node:zlib'
import jpeg from 'jpeg-js'
import { pdfFile, pdfStream } from '../../../../test/support/pdf-objects.ts'
import type { Random } from '../../../../test/support/random.ts'

/** What a page shows: a picture with its dictionary, or operators. */
interface Shown {
  readonly dictionary?: string
  readonly data?: Uint8Array
  readonly operators?: string
  /** Sides of the page in points. */
  readonly sheet?: readonly [width: number, height: number]
  readonly pages?: number
}

const GREY = '/ColorSpace/DeviceGray/BitsPerComponent 8'
const FLATE = '/Filter/FlateDecode'
/** Longest side that a picture is made of here; larger ones are declared, and their data packs well or ends early. */
const MAX_PIXELS = 3_000

const grey = (width: number, height: number, levelAt: (x: number, y: number) => number): Shown => ({
  dictionary: `/Width ${width}/Height ${height}${GREY}${FLATE}`,
  data: deflateSync(
    Uint8Array.from({ length: width * height }, (_, at) => levelAt(at % width, Math.floor(at / width))),
    { level: 1 },
  ),
})

const side = (random: Random, most = MAX_PIXELS): number => 1 + random.below(most)

function picture(random: Random): Buffer {
  const [width, height] = [side(random, 400), side(random, 400)]
  return jpeg.encode({ data: random.bytes(4 * width * height), width, height }, 1 + random.below(99)).data
}

/** Bytes of a real JPEG that end early, are changed here and there, or belong to another size or colour space. */
function brokenJpeg(random: Random): Shown {
  const bytes = Buffer.from(picture(random))
  if (random.chance(0.5))
    for (let count = 0; count < 15; count += 1) bytes[random.below(bytes.length)] = random.below(256)
  const data = random.chance(0.5) ? bytes.subarray(0, random.below(bytes.length)) : bytes
  const space = random.pick(['DeviceGray', 'DeviceRGB', 'DeviceCMYK'])
  return {
    dictionary: `/Width ${side(random, 60_000)}/Height ${side(random)}/ColorSpace/${space}/BitsPerComponent 8/Filter/DCTDecode`,
    data,
  }
}

const big32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])

/** A page and a generic region whose sides are declared, followed by noise (ISO 14492, section 7). */
function brokenJbig2(random: Random): Shown {
  const [width, height] = [side(random, random.pick([3_000, 60_000])), side(random, random.pick([3_000, 60_000]))]
  const page = Buffer.concat([big32(width), big32(height), Buffer.alloc(8), Buffer.from([0, 0, 0])])
  const noise = random.bytes(random.below(20_000))
  const region = Buffer.concat([
    big32(width),
    big32(height),
    Buffer.alloc(8),
    Buffer.from([0, random.below(16)]),
    noise,
  ])
  const segment = (number: number, type: number, data: Buffer): Buffer =>
    Buffer.concat([big32(number), Buffer.from([type, 0, 1]), big32(data.length), data])
  return {
    dictionary: `/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode`,
    data: Buffer.concat([segment(0, 48, page), segment(1, random.pick([36, 38, 39, 6, 0]), region)]),
  }
}

function brokenFax(random: Random): Shown {
  const [columns, rows] = [side(random, random.pick([2_000, 100_000])), side(random, random.pick([2_000, 100_000]))]
  return {
    dictionary:
      `/Width ${columns}/Height ${rows}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode` +
      `/DecodeParms<</K ${random.pick([-1, 0, 4])}/Columns ${columns}/Rows ${rows}>>`,
    data: random.bytes(1 + random.below(60_000)),
  }
}

function brokenOther(random: Random): Shown {
  const filter = random.pick(['JPXDecode', 'LZWDecode', 'RunLengthDecode', 'ASCII85Decode', 'Nothing'])
  const start = filter === 'JPXDecode' ? Buffer.from('0000000c6a5020200d0a870a', 'hex') : Buffer.alloc(0)
  const bits = random.pick([1, 2, 3, 8, 16])
  return {
    dictionary: `/Width ${side(random)}/Height ${side(random)}/ColorSpace[/Indexed/DeviceRGB 255 <00>]/BitsPerComponent ${bits}/Filter/${filter}`,
    data: Buffer.concat([start, random.bytes(random.below(50_000))]),
  }
}

/** Data that unpacks to many times its size, once or twice. */
function bomb(random: Random): Shown {
  const [width, height] = [10_000 + random.below(30_000), 10_000 + random.below(30_000)]
  const once = deflateSync(Buffer.alloc(16_000_000 + random.below(100_000_000), random.below(256)))
  const isTwice = random.chance(0.5)
  return {
    dictionary: `/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent ${random.pick([1, 8])}/Filter[/FlateDecode${isTwice ? '/FlateDecode' : ''}]`,
    data: isTwice ? deflateSync(once) : once,
  }
}

/** Many boxes, each as large as a letter or a line: what a reader finds lines in. */
function boxes(random: Random): Shown {
  const [width, height, step] = [side(random), side(random), 6 + random.below(20)]
  const [long, high] = [2 + random.below(step - 2), 2 + random.below(step - 2)]
  return grey(width, height, (x, y) => (x % step < long && y % step < high ? 0 : 255))
}

function drawnBoxes(random: Random): Shown {
  const rows = Array.from({ length: 50_000 }, () => {
    const [x, y, width] = [random.below(612), random.below(792), 1 + random.below(30)]
    return `${x} ${y} ${width} ${1 + random.below(12)} re f\n`
  })
  return { operators: rows.join('') }
}

function drawnLines(random: Random): Shown {
  const reach = random.pick([612, 1e6, 1e9])
  const rows = Array.from({ length: 5_000 + random.below(20_000) }, () => {
    const [from, to] = [random.below(reach), random.below(reach)]
    return `${from} ${random.below(792)} m ${to} ${random.below(792)} l S\n`
  })
  return { operators: `${random.next() / 10} w\n${rows.join('')}` }
}

type Maker = (random: Random) => Shown

const MAKERS: Readonly<Record<string, Maker>> = {
  'one colour': (random) => grey(side(random), side(random), () => random.pick([0, 128, 255])),
  'all black': (random) => grey(side(random), side(random), () => 0),
  tiny: (random) => grey(side(random, 3), side(random, 3), () => random.below(256)),
  'one pixel high': (random) => grey(side(random, 60_000), 1, () => random.below(256)),
  'one pixel wide': (random) => grey(1, side(random, 60_000), () => random.below(256)),
  checkerboard: (random) => {
    const step = 1 + random.below(40)
    return grey(side(random), side(random), (x, y) => ((Math.floor(x / step) + Math.floor(y / step)) % 2) * 255)
  },
  noise: (random) => grey(side(random, 2_000), side(random, 2_000), () => random.below(256)),
  specks: (random) => grey(side(random, 2_000), side(random, 2_000), () => (random.next() < 0.05 ? 0 : 255)),
  'thin lines': (random) => {
    const [step, slope] = [2 + random.below(30), random.pick([0, 0.05, 0.3, 1])]
    return grey(side(random), side(random), (x, y) => (Math.floor(y + slope * x) % step === 0 ? 0 : 255))
  },
  'upright lines': (random) => {
    const step = 2 + random.below(30)
    return grey(side(random), side(random), (x) => (x % step === 0 ? 0 : 255))
  },
  boxes,
  'drawn boxes': drawnBoxes,
  'drawn lines': drawnLines,
  'giant sheet': (random) => ({ ...boxes(random), sheet: [side(random, 1e5), side(random, 1e5)] }),
  'narrow sheet': (random) => ({ ...boxes(random), sheet: [side(random, 20_000), 1 + random.below(12)] }),
  'many pages': (random) => ({ ...boxes(random), pages: 20 + random.below(30) }),
  'broken JPEG': brokenJpeg,
  'broken JBIG2': brokenJbig2,
  'broken fax': brokenFax,
  'broken other': brokenOther,
  bomb,
}
const KINDS = Object.keys(MAKERS)

/** A PDF that shows something no scanner made; kinds take turns. */
export function hostilePicture(at: number, random: Random): { readonly kind: string; readonly bytes: Buffer } {
  const kind = KINDS[at % KINDS.length] ?? 'boxes'
  const { dictionary, data, operators, sheet: [width, height] = [612, 792], pages = 1 } = MAKERS[kind]?.(random) ?? {}
  const content = operators ?? `q ${width} 0 0 ${height} 0 0 cm /I Do Q`
  const kids = Array.from({ length: pages }, (_, page) => `${page + 5} 0 R`).join(' ')
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 3 0 R/Resources<</XObject<</I 4 0 R>>>>>>`
  const bytes = pdfFile([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`,
    pdfStream('', content),
    pdfStream(`/Type/XObject/Subtype/Image${dictionary ?? `/Width 1/Height 1${GREY}`}`, data ?? Buffer.alloc(1)),
    ...Array.from({ length: pages }, () => page),
  ])
  return { kind, bytes }
}
