import type { TextItem } from '@llamaindex/liteparse'
import { levelledSize } from '../ink/picture-ops.ts'
import type { Turn } from '../page/text-layer.ts'

/** Transformation of a page for OCR: `turn` undoes the rotation, then `slope` levels it. */
export interface Frame {
  /** Size of the page in the PDF library, in points. */
  readonly width: number
  readonly height: number
  readonly turn: Turn
  readonly slope: number
}

/** Returns the size of the upright sheet, in points. */
export function frameSize({ width, height, turn, slope }: Frame): { readonly width: number; readonly height: number } {
  const [w, h] = turn === 90 || turn === 270 ? [height, width] : [width, height]
  const [levelWidth, levelHeight] = slope === 0 ? [w, h] : levelledSize(w, h, slope)
  return { width: levelWidth, height: levelHeight }
}

/** Moves a native item to its position on the upright sheet. Its glyphs remain upright for any rotation. */
export function toUprightPosition(item: TextItem, frame: Frame): TextItem {
  if (frame.turn === 0 && frame.slope === 0) return item
  const { width, height } = frame
  const [x, y] = [item.x + item.width / 2, item.y + item.height / 2]
  const turned = { 0: [x, y], 90: [y, width - x], 180: [width - x, height - y], 270: [height - y, x] } as const
  const [turnedX, turnedY] = turned[frame.turn]
  const [w, h] = frame.turn === 90 || frame.turn === 270 ? [height, width] : [width, height]
  const size = frameSize(frame)
  const angle = Math.atan(frame.slope)
  const [dx, dy] = [turnedX - w / 2, turnedY - h / 2]
  const middleX = dx * Math.cos(angle) + dy * Math.sin(angle) + size.width / 2
  const middleY = dy * Math.cos(angle) - dx * Math.sin(angle) + size.height / 2
  return { ...item, x: middleX - item.width / 2, y: middleY - item.height / 2, words: [] }
}

/** Moves recognised items as one from the upright sheet to their position on the page. Their lines remain level. */
export function toSkewedPosition(items: readonly TextItem[], frame: Frame): TextItem[] {
  if (items.length === 0 || frame.slope === 0) return [...items]
  const mean = (value: (item: TextItem) => number): number =>
    items.reduce((sum, item) => sum + value(item), 0) / items.length
  const [fromX, fromY] = [mean((item) => item.x + item.width / 2), mean((item) => item.y + item.height / 2)]
  const [toX, toY] = skewedPoint(fromX, fromY, frame)
  return items.map((item) => ({ ...item, x: item.x + toX - fromX, y: item.y + toY - fromY }))
}

function skewedPoint(x: number, y: number, frame: Frame): [x: number, y: number] {
  const [level, sheet] = [frameSize(frame), frameSize({ ...frame, slope: 0 })]
  const angle = Math.atan(frame.slope)
  const [dx, dy] = [x - level.width / 2, y - level.height / 2]
  return [
    dx * Math.cos(angle) - dy * Math.sin(angle) + sheet.width / 2,
    dx * Math.sin(angle) + dy * Math.cos(angle) + sheet.height / 2,
  ]
}
