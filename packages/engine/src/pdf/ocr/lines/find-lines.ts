import type { GreyPicture } from '../../ink/grey-picture.ts'
import { type Point, smallestBox, type TurnedBox } from './turned-box.ts'

/** Longest side of the model's input picture. Smaller pictures are enlarged to it, up to `MAX_ENLARGED`. */
const LONGEST_SIDE = 1536
const MAX_ENLARGED = 4
/** Minimum scale. Long receipts keep their print as large as that of an A3 page at 200 dpi. */
const MIN_SCALE = 0.46
/** Maximum width of a band in map pixels. Wider bands shrink more, to limit their memory. */
const WIDEST = 2_500
/** The model requires sides that are multiples of this. */
const STRIDE = 32
/**
 * Maximum number of map pixels. A page takes most of its memory here, 200 bytes per pixel. Higher pictures split into
 * bands.
 */
const MAX_PIXELS = 400_000
/** Overlap in rows on each side of a cut between bands, enough for a line of the largest print. */
const OVERLAP = 64
/** Tolerance: maximum offset between the positions of a cut line in two bands. */
const SLACK = 8
/** Per-channel mean and standard deviation of the training pictures. */
const MEANS = [0.485, 0.456, 0.406]
const DEVIATIONS = [0.229, 0.224, 0.225]

/** Threshold of probability for a pixel of a line, and for the mean of a line. */
const MIN_PIXEL = 0.3
const MIN_LINE = 0.6
/** Threshold in map pixels. A smaller region is a speck. */
const MIN_PIXELS = 10
const MIN_SIDE = 3
/** The map shows the kernel of a line. Its rectangle grows by this factor of area over perimeter. */
const UNCLIP = 1.5

export interface Planes {
  readonly width: number
  readonly height: number
  /** Three channels in sequence, each row by row. */
  readonly data: Float32Array
}

/** A full-width band of a picture, and its row range. Lines outside the range belong to its neighbours. */
export interface Band extends GreyPicture {
  readonly top: number
  readonly ownFrom: number
  readonly ownTo: number
  /** Map pixels per picture pixel. */
  readonly scale: number
}

/** Splits a picture into bands within the memory limit of their maps. */
export function bandsOf({ width, height, grey }: GreyPicture): readonly Band[] {
  const least = Math.min(MIN_SCALE, WIDEST / width)
  const scale = Math.min(MAX_ENLARGED, Math.max(LONGEST_SIDE / Math.max(width, height), least))
  const overlap = Math.ceil(OVERLAP / scale)
  const most = Math.max(4 * overlap, Math.floor(MAX_PIXELS / (width * scale * scale)))
  const count = height <= most ? 1 : Math.ceil(height / (most - 2 * overlap))
  return Array.from({ length: count }, (_, index): Band => {
    const [ownFrom, ownTo] = [index, index + 1].map((at) => Math.round((at * height) / count)) as [number, number]
    const [top, bottom] = [Math.max(0, ownFrom - overlap), Math.min(height, ownTo + overlap)]
    return { width, height: bottom - top, grey: grey.subarray(top * width, bottom * width), top, ownFrom, ownTo, scale }
  })
}

/** Converts a band to the input of the line detection model. */
export function finderInput(band: Band): Planes {
  const [width = STRIDE, height = STRIDE] = [band.width, band.height].map((side) =>
    Math.max(STRIDE, Math.round((side * band.scale) / STRIDE) * STRIDE),
  )
  const resized = resizedTo(band, width, height)
  const data = new Float32Array(3 * resized.length)
  for (const [channel, mean] of MEANS.entries()) {
    const deviation = DEVIATIONS[channel] ?? 1
    for (let at = 0; at < resized.length; at += 1) {
      data[channel * resized.length + at] = ((resized[at] ?? 0) / 255 - mean) / deviation
    }
  }
  return { width, height, data }
}

/** Averages over areas to shrink, and interpolates between neighbours to enlarge. */
function resizedTo({ width, height, grey }: GreyPicture, toWidth: number, toHeight: number): Float32Array {
  const [columns, rows] = [samplesOf(width, toWidth), samplesOf(height, toHeight)]
  const across = new Float32Array(toWidth * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < toWidth; x += 1) {
      const { from, weights } = columns[x] as Samples
      let sum = 0
      for (let at = 0; at < weights.length; at += 1) sum += (weights[at] ?? 0) * (grey[y * width + from + at] ?? 0)
      across[y * toWidth + x] = sum
    }
  }
  const out = new Float32Array(toWidth * toHeight)
  for (const [y, { from, weights }] of rows.entries()) {
    for (const [index, weight] of weights.entries()) {
      const row = (from + index) * toWidth
      for (let x = 0; x < toWidth; x += 1) {
        const at = y * toWidth + x
        out[at] = (out[at] ?? 0) + weight * (across[row + x] ?? 0)
      }
    }
  }
  return out
}

interface Samples {
  readonly from: number
  readonly weights: readonly number[]
}

function samplesOf(length: number, toLength: number): readonly Samples[] {
  const step = length / toLength
  return Array.from({ length: toLength }, (_, index): Samples => {
    if (step > 1) {
      const [begin, end] = [index * step, (index + 1) * step]
      const from = Math.floor(begin)
      const count = Math.min(length, Math.ceil(end)) - from
      const weights = Array.from({ length: count }, (__, at) => {
        const covered = Math.min(end, from + at + 1) - Math.max(begin, from + at)
        return covered / step
      })
      return { from, weights }
    }
    const middle = Math.max(0, Math.min(length - 1, (index + 0.5) * step - 0.5))
    const from = Math.floor(middle)
    return from >= length - 1 ? { from, weights: [1] } : { from, weights: [1 - (middle - from), middle - from] }
  })
}

/** Returns the lines in a band's row range as rectangles of the complete picture, without those of earlier bands. */
export function linesInMap(
  map: Planes,
  { width, height, top, ownFrom, ownTo, scale }: Band,
  above: readonly TurnedBox[],
): TurnedBox[] {
  const [scaleX, scaleY] = [width / map.width, height / map.height]
  const lines: TurnedBox[] = []
  for (const { rim, mean, pixels } of regionsOf(map)) {
    if (pixels < MIN_PIXELS || mean < MIN_LINE) continue
    const inMap = smallestBox(rim)
    if (Math.min(inMap.width, inMap.height) < MIN_SIDE) continue
    const kernel = smallestBox(rim.map(([x, y]) => [x * scaleX, top + y * scaleY] as const))
    if (kernel.y < ownFrom - SLACK / scale || kernel.y >= ownTo) continue
    if (kernel.y < ownFrom + SLACK / scale && above.some((line) => isWithin(line, kernel))) continue
    const growth = (kernel.width * kernel.height * UNCLIP) / (2 * (kernel.width + kernel.height))
    lines.push({ ...kernel, width: kernel.width + 2 * growth, height: kernel.height + 2 * growth })
  }
  return lines
}

function isWithin(line: TurnedBox, { x, y }: TurnedBox): boolean {
  const [along, beside] = [
    (x - line.x) * line.cos + (y - line.y) * line.sin,
    (y - line.y) * line.cos - (x - line.x) * line.sin,
  ]
  return Math.abs(along) < line.width / 2 && Math.abs(beside) < line.height / 2
}

interface Region {
  /** Both ends of each run, as pixel corners. */
  readonly rim: readonly Point[]
  readonly mean: number
  readonly pixels: number
}

/** Returns the connected regions of line pixels, diagonal neighbours included. */
function regionsOf({ width, height, data }: Planes): Region[] {
  const seen = new Uint8Array(width * height)
  const regions: Region[] = []
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || (data[start] ?? 0) <= MIN_PIXEL) continue
    regions.push(regionFrom(start, { width, height, data }, seen))
  }
  return regions
}

function regionFrom(start: number, { width, height, data }: Planes, seen: Uint8Array): Region {
  const spans = new Map<number, [left: number, right: number]>()
  const open = [start]
  seen[start] = 1
  let [sum, pixels] = [0, 0]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)]
    sum += data[at] ?? 0
    pixels += 1
    const span = spans.get(y)
    if (span === undefined) spans.set(y, [x, x])
    else {
      span[0] = Math.min(span[0], x)
      span[1] = Math.max(span[1], x)
    }
    for (let nextY = Math.max(0, y - 1); nextY <= Math.min(height - 1, y + 1); nextY += 1) {
      for (let nextX = Math.max(0, x - 1); nextX <= Math.min(width - 1, x + 1); nextX += 1) {
        const next = nextY * width + nextX
        if (seen[next] === 1 || (data[next] ?? 0) <= MIN_PIXEL) continue
        seen[next] = 1
        open.push(next)
      }
    }
  }
  const rim = [...spans].flatMap(([y, [left, right]]): Point[] => [
    [left, y],
    [right + 1, y],
    [left, y + 1],
    [right + 1, y + 1],
  ])
  return { rim, mean: sum / pixels, pixels }
}
