import type { PageDrawing } from '#src/engine/pdf/ink/grey-picture.ts'
import type { Random } from '../random.ts'

// What scanners, copiers and bound books do to a sheet; the rest is in damage.ts.

/** Print of the reverse side shows through thin paper: mirrored, and lines lower or higher. */
export function bledThrough(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
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
export function bent(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
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
export function streaked(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
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
export function darkEdged(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
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
export function smeared(drawing: PageDrawing, random: Random, severity: number): PageDrawing {
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
