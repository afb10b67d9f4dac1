import type { PageDrawing } from '../../../packages/engine/src/pdf/ink/grey-picture.ts'
import { levelled, turnedBack } from '../../../packages/engine/src/pdf/ink/picture-ops.ts'
import type { Random } from '../random.ts'

// What scanners, copiers and bound books do to a sheet; the rest is in damage.ts.

/** Print of the reverse side shows through thin paper: mirrored, and lines lower or higher. */
function bledThrough(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height } = drawing
  const strength = Math.min(0.9, (0.12 + random.next() * 0.3) * severity)
  const lower = random.below(height)
  const grey = drawing.grey.slice()
  for (let y = 0; y < height; y += 1) {
    const behind = ((y + lower) % height) * width
    for (let x = 0; x < width; x += 1) {
      const ink = 255 - (drawing.grey[behind + width - 1 - x] ?? 255)
      grey[y * width + x] = (grey[y * width + x] ?? 0) * (1 - (strength * ink) / 255)
    }
  }
  return { ...drawing, grey }
}

/** A page of a thick book: its lines bend towards the spine, in whose shadow they end. */
function bent(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height } = drawing
  const [atLeft, most, reach] = [
    random.next() < 0.5,
    height * (0.01 + random.next() * 0.03) * severity * (random.next() < 0.5 ? 1 : -1),
    width * (0.12 + random.next() * 0.2),
  ]
  const shadow = Math.min(0.85, (0.2 + random.next() * 0.3) * severity)
  const grey = drawing.grey.slice()
  for (let x = 0; x < width; x += 1) {
    const near = Math.exp(-(atLeft ? x : width - 1 - x) / reach)
    const [down, light] = [Math.round(most * near), 1 - shadow * near ** 2]
    for (let y = 0; y < height; y += 1) {
      const from = y - down
      const level = from >= 0 && from < height ? (drawing.grey[from * width + x] ?? 255) : 255
      grey[y * width + x] = level * light
    }
  }
  return { ...drawing, grey }
}

/** Dirt on the glass of a scanner that draws the sheet in: lines from top to bottom, dark or white. */
function streaked(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height, perPoint } = drawing
  const grey = drawing.grey.slice()
  const count = Math.round((2 + random.below(7)) * severity)
  for (let streak = 0; streak < count; streak += 1) {
    const [from, thickness] = [random.below(width), Math.max(1, Math.round((0.3 + random.next()) * perPoint))]
    const level = random.next() < 0.7 ? random.below(140) : 255
    for (let x = from; x < Math.min(width, from + thickness); x += 1) {
      for (let y = 0; y < height; y += 1) grey[y * width + x] = level
    }
  }
  return { ...drawing, grey }
}

/** Points of margin that the black of an open lid may cover: no word stands there. */
const MARGIN_POINTS = 16

/** Copied with the lid open: black at some edges, and a shadow from there over the print. */
function darkEdged(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height, perPoint } = drawing
  const edge = (): { black: number; reach: number } =>
    random.next() < 0.6
      ? { black: random.next() * MARGIN_POINTS * perPoint, reach: (0.02 + random.next() * 0.1) * severity * width }
      : { black: 0, reach: 0 }
  const [left, right, top, bottom] = [edge(), edge(), edge(), edge()]
  const least = 0.3 / severity
  const lightFrom = ({ black, reach }: { black: number; reach: number }, distance: number): number => {
    if (distance < black) return 0
    return reach === 0 ? 1 : Math.min(1, least + ((1 - least) * (distance - black)) / reach)
  }
  const columns = Array.from({ length: width }, (_, x) => lightFrom(left, x) * lightFrom(right, width - 1 - x))
  const grey = drawing.grey.slice()
  for (let y = 0; y < height; y += 1) {
    const row = lightFrom(top, y) * lightFrom(bottom, height - 1 - y)
    for (let x = 0; x < width; x += 1) grey[y * width + x] = (grey[y * width + x] ?? 0) * row * (columns[x] ?? 1)
  }
  return { ...drawing, grey }
}

/** The sheet moved while it was scanned: each point is spread along a line. */
function smeared(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height, perPoint } = drawing
  const length = Math.max(2, Math.round((0.5 + random.next()) * severity * perPoint))
  const [step, lines, along] = random.next() < 0.5 ? [1, height, width] : [width, width, height]
  const across = step === 1 ? width : 1
  const grey = drawing.grey.slice()
  for (let line = 0; line < lines; line += 1) {
    const start = line * across
    let sum = 0
    for (let at = 0; at < along; at += 1) {
      sum += drawing.grey[start + at * step] ?? 255
      if (at >= length) sum -= drawing.grey[start + (at - length) * step] ?? 255
      grey[start + at * step] = sum / Math.min(length, at + 1)
    }
  }
  return { ...drawing, grey }
}

/** What happens to a sheet between the printer and the scan. */
export type Damage =
  | 'none'
  | 'blur'
  | 'noise'
  | 'fade'
  | 'uneven'
  | 'skew'
  | 'turn'
  | 'low_resolution'
  | 'fax'
  | 'stamp'
  | 'jpeg'
  | 'bleed_through'
  | 'bent'
  | 'streaks'
  | 'dark_edges'
  | 'smear'

const FIRST_DAMAGES: readonly Damage[] = [
  'none',
  'blur',
  'noise',
  'fade',
  'uneven',
  'skew',
  'turn',
  'low_resolution',
  'fax',
  'stamp',
  'jpeg',
]
const LATER_DAMAGES: readonly Damage[] = ['bleed_through', 'bent', 'streaks', 'dark_edges', 'smear']
const ALL = FIRST_DAMAGES.length + LATER_DAMAGES.length
/** So many remainders stay before those of the later damages: seeds that tests name keep the page that they had. */
const EARLIER = 5

/** The damage of a seed's page: each of all as often. Seeds known before the later ones came keep theirs, but for five of sixteen. */
export function damageOf(seed: number, random: Random): Damage {
  const first = random.pick(FIRST_DAMAGES)
  return LATER_DAMAGES[(seed % ALL) - EARLIER] ?? first
}

type Doing = (drawing: PageDrawing, random: Random, severity: number) => PageDrawing

const DOINGS: Readonly<Record<Damage, Doing>> = {
  none: (drawing) => drawing,
  blur: (drawing, random, severity) => blurred(drawing, Math.round((1 + random.below(4)) * severity)),
  noise: (drawing, random, severity) => noisy(drawing, (0.01 + random.next() * 0.12) * severity, random),
  fade: (drawing, random, severity) => mapped(drawing, (level) => level, (0.1 + random.next() * 0.5) / severity),
  uneven: (drawing, random, severity) => shaded(drawing, random, severity),
  skew: (drawing, random, severity) => levelled(drawing, ((random.next() * 2 - 1) * 0.14 * (1 + severity)) / 2),
  turn: (drawing, random) => turnedBack(drawing, random.pick([90, 180, 270])),
  low_resolution: (drawing, random, severity) => coarse(drawing, (1.3 + random.next() * 1.7) * Math.sqrt(severity)),
  fax: (drawing, random, severity) =>
    mapped(
      coarse(drawing, (1.2 + random.next() * 0.6) * Math.sqrt(severity)),
      (level) => (level > 150 + 25 * (severity - 1) ? 255 : 0),
      1,
    ),
  stamp: (drawing, random, severity) => stamped(drawing, random, severity),
  // What its compression does to a sheet is done where the picture is written: `jpegQuality`.
  jpeg: (drawing) => drawing,
  bleed_through: bledThrough,
  bent,
  streaks: streaked,
  dark_edges: darkEdged,
  smear: smeared,
}

/** The drawing with one damage of a random strength; `severity` 1 is what archives hold, 3 is past reading. */
export function damaged(drawing: PageDrawing, damage: Damage, random: Random, severity = 1): PageDrawing {
  return DOINGS[damage](drawing, random, severity)
}

/** Quality, 1 to 100, that a scan is compressed with as JPEG; null for one that is kept without loss. */
export function jpegQuality(damage: Damage, random: Random, severity: number): number | null {
  if (damage === 'jpeg') return Math.max(1, Math.round((4 + random.below(14)) / severity))
  return random.next() < 0.5 ? null : 50 + random.below(40)
}

/** Each level through `map`, then its contrast to white scaled by `contrast`. */
function mapped(drawing: PageDrawing, map: (level: number) => number, contrast: number): PageDrawing {
  const table = Uint8Array.from({ length: 256 }, (_, level) =>
    contrast === 1 ? map(level) : 255 - (255 - level) * contrast,
  )
  return { ...drawing, grey: drawing.grey.map((level) => table[level] ?? level) }
}

function blurred(drawing: PageDrawing, times: number): PageDrawing {
  const { width, height } = drawing
  let from = drawing.grey
  for (let pass = 0; pass < times; pass += 1) {
    const to = from.slice()
    for (let y = 1; y < height - 1; y += 1) {
      for (let at = y * width + 1; at < y * width + width - 1; at += 1) {
        to[at] =
          ((from[at - 1] ?? 0) +
            (from[at + 1] ?? 0) +
            (from[at - width] ?? 0) +
            (from[at + width] ?? 0) +
            2 * (from[at] ?? 0)) /
          6
      }
    }
    from = to
  }
  return { ...drawing, grey: from }
}

function noisy(drawing: PageDrawing, share: number, random: Random): PageDrawing {
  const grey = drawing.grey.slice()
  for (let at = 0; at < grey.length; at += 1) {
    const dice = random.next()
    if (dice < share) grey[at] = dice < share / 2 ? 0 : 255
  }
  return { ...drawing, grey }
}

function shaded(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height } = drawing
  const [across, down, least] = [random.next() * 2 - 1, random.next() * 2 - 1, (0.25 + random.next() * 0.4) / severity]
  const grey = drawing.grey.slice()
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const light =
        least + (1 - least) * Math.min(1, Math.max(0, 0.5 + across * (x / width - 0.5) + down * (y / height - 0.5)))
      grey[y * width + x] = (grey[y * width + x] ?? 0) * light
    }
  }
  return { ...drawing, grey }
}

function coarse({ width, height, grey, perPoint }: PageDrawing, factor: number): PageDrawing {
  const [w, h] = [Math.floor(width / factor), Math.floor(height / factor)]
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      let [sum, count] = [0, 0]
      for (let fromY = Math.floor(y * factor); fromY < Math.min(height, (y + 1) * factor); fromY += 1) {
        for (let fromX = Math.floor(x * factor); fromX < Math.min(width, (x + 1) * factor); fromX += 1) {
          sum += grey[fromY * width + fromX] ?? 255
          count += 1
        }
      }
      out[y * w + x] = sum / Math.max(1, count)
    }
  }
  return { width: w, height: h, grey: out, perPoint: perPoint / factor }
}

/** A translucent frame with bars, as a received stamp has, over part of the print. */
function stamped(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
  const { width, height } = drawing
  const grey = drawing.grey.slice()
  const [w, h] = [
    Math.floor(width * (0.25 + random.next() * 0.3)),
    Math.floor(height * (0.06 + random.next() * 0.12) * severity),
  ]
  const [x0, y0] = [random.below(width - w), random.below(height - h)]
  const level = (90 + random.below(110)) / severity
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      const frame = x < 4 || y < 4 || x >= w - 4 || y >= h - 4
      const bar = y % Math.max(8, h >> 2) < 3 * severity && x > 12 && x < w - 12
      if (frame || bar) {
        const at = (y0 + y) * width + x0 + x
        grey[at] = Math.min(grey[at] ?? 255, level)
      }
    }
  }
  return { ...drawing, grey }
}

/** A photograph: soft shapes and grain, no letters. */
export function photograph(width: number, height: number, random: Random): PageDrawing {
  const shapes = Array.from({ length: 12 }, () => ({
    x: random.next() * width,
    y: random.next() * height,
    r: (0.05 + random.next() * 0.25) * width,
    level: random.below(256),
  }))
  const grey = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let [sum, weight] = [128, 1]
      for (const shape of shapes) {
        const near = Math.exp(-(((x - shape.x) ** 2 + (y - shape.y) ** 2) / shape.r ** 2))
        sum += near * 6 * shape.level
        weight += near * 6
      }
      grey[y * width + x] = sum / weight + (random.next() - 0.5) * 14
    }
  }
  return { width, height, grey, perPoint: 1 }
}
