import type { Box } from '../geometry/box.ts'
import type { GreyPicture, PageDrawing } from './grey-picture.ts'

/** Halves the resolution. Each pixel is the mean of four. */
export function halved({ width, height, grey, perPoint }: PageDrawing): PageDrawing {
  const [w, h] = [width >> 1, height >> 1]
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y += 1) {
    for (let x = 0, at = 2 * y * width; x < w; x += 1, at += 2) {
      const sum = (grey[at] ?? 0) + (grey[at + 1] ?? 0) + (grey[at + width] ?? 0) + (grey[at + width + 1] ?? 0)
      out[y * w + x] = sum >> 2
    }
  }
  return { width: w, height: h, grey: out, perPoint: perPoint / 2 }
}

/** Rotates the drawing by `turn` degrees anticlockwise, which undoes the clockwise rotation of its content. */
export function turnedBack(drawing: PageDrawing, turn: 0 | 90 | 180 | 270): PageDrawing {
  if (turn === 0) return drawing
  const { width, height, grey } = drawing
  const [w, h] = turn === 180 ? [width, height] : [height, width]
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      const [fromX, fromY] =
        turn === 180 ? [width - 1 - x, height - 1 - y] : turn === 90 ? [width - 1 - y, x] : [y, height - 1 - x]
      out[y * w + x] = grey[fromY * width + fromX] ?? 255
    }
  }
  return { ...drawing, width: w, height: h, grey: out }
}

/** Rotates the drawing by a small angle about its centre, on a sheet that holds all of it. New corners are white. */
export function levelled(drawing: PageDrawing, slope: number): PageDrawing {
  const { width, height, grey } = drawing
  const angle = Math.atan(slope)
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [w, h] = levelledSize(width, height, slope)
  const out = new Uint8Array(w * h).fill(255)
  for (let y = 0; y < h; y += 1) {
    const dy = y - h / 2
    for (let x = 0; x < w; x += 1) {
      const dx = x - w / 2
      const fromX = dx * cos - dy * sin + width / 2
      const fromY = dx * sin + dy * cos + height / 2
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue
      const [partX, at] = [fromX - left, top * width + left]
      const upper = (grey[at] ?? 0) * (1 - partX) + (grey[at + 1] ?? 0) * partX
      const lower = (grey[at + width] ?? 0) * (1 - partX) + (grey[at + width + 1] ?? 0) * partX
      out[y * w + x] = upper + (lower - upper) * (fromY - top)
    }
  }
  return { ...drawing, width: w, height: h, grey: out }
}

/** Returns the width and height of the sheet that holds a levelled drawing. */
export function levelledSize(width: number, height: number, slope: number): [width: number, height: number] {
  const angle = Math.abs(Math.atan(slope))
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return [Math.ceil(width * cos + height * sin), Math.ceil(height * cos + width * sin)]
}

/** Crops a drawing to `box`, in points. */
export function cropped({ width, height, grey, perPoint }: PageDrawing, box: Box): GreyPicture {
  const x0 = Math.max(0, Math.floor(box.x0 * perPoint))
  const y0 = Math.max(0, Math.floor(box.y0 * perPoint))
  const x1 = Math.min(width, Math.ceil(box.x1 * perPoint))
  const y1 = Math.min(height, Math.ceil(box.y1 * perPoint))
  const [w, h] = [Math.max(0, x1 - x0), Math.max(0, y1 - y0)]
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y += 1) out.set(grey.subarray((y0 + y) * width + x0, (y0 + y) * width + x0 + w), y * w)
  return { width: w, height: h, grey: out }
}

/** Stacks pictures on white, each with a margin, so that one pass of OCR reads several lines. */
export function stacked(pictures: readonly GreyPicture[], margin: number): GreyPicture {
  const width = Math.max(...pictures.map((picture) => picture.width)) + 2 * margin
  const height = pictures.reduce((sum, picture) => sum + picture.height + margin, margin)
  const grey = new Uint8Array(width * height).fill(255)
  let top = margin
  for (const picture of pictures) {
    for (let y = 0; y < picture.height; y += 1) {
      grey.set(picture.grey.subarray(y * picture.width, (y + 1) * picture.width), (top + y) * width + margin)
    }
    top += picture.height + margin
  }
  return { width, height, grey }
}

/** Paints over boxes, in points, with the paper colour around each. Mutates `drawing`. */
export function paintOver(drawing: PageDrawing, boxes: readonly Box[]): void {
  const { width, height, grey, perPoint } = drawing
  for (const box of boxes) {
    const x0 = Math.max(0, Math.floor((box.x0 - 0.5) * perPoint))
    const y0 = Math.max(0, Math.floor((box.y0 - 0.5) * perPoint))
    const x1 = Math.min(width, Math.ceil((box.x1 + 0.5) * perPoint))
    const y1 = Math.min(height, Math.ceil((box.y1 + 0.5) * perPoint))
    if (x1 <= x0 || y1 <= y0) continue
    const rim: number[] = []
    for (let x = x0; x < x1; x += 1) rim.push(grey[y0 * width + x] ?? 255, grey[(y1 - 1) * width + x] ?? 255)
    const paper = rim.sort((a, b) => a - b)[Math.floor(rim.length * 0.6)] ?? 255
    for (let y = y0; y < y1; y += 1) grey.fill(paper, y * width + x0, y * width + x1)
  }
}
