import type { GreyPicture } from '../../ink/grey-picture.ts'
import type { Planes } from './find-lines.ts'
import type { TurnedBox } from './turned-box.ts'

const HEIGHT = 48
const MAX_WIDTH = 3200

/** Converts a line to the input of the recognition model: level, 48 pixels high, with proportional width. */
export function readerInput(picture: GreyPicture, box: TurnedBox): Planes {
  const width = Math.max(HEIGHT / 2, Math.min(MAX_WIDTH, Math.round((HEIGHT * box.width) / Math.max(1, box.height))))
  const [stepX, stepY] = [box.width / width, box.height / HEIGHT]
  const [acrossSamples, downSamples] = [Math.max(1, Math.ceil(stepX)), Math.max(1, Math.ceil(stepY))]
  const size = width * HEIGHT
  const data = new Float32Array(3 * size)
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < width; column += 1) {
      let sum = 0
      for (let down = 0; down < downSamples; down += 1) {
        for (let across = 0; across < acrossSamples; across += 1) {
          const along = (column + (across + 0.5) / acrossSamples) * stepX - box.width / 2
          const beside = (row + (down + 0.5) / downSamples) * stepY - box.height / 2
          const x = box.x + along * box.cos - beside * box.sin
          const y = box.y + along * box.sin + beside * box.cos
          sum += levelAt(picture, x - 0.5, y - 0.5)
        }
      }
      const value = sum / (acrossSamples * downSamples) / 127.5 - 1
      const at = row * width + column
      data[at] = value
      data[size + at] = value
      data[2 * size + at] = value
    }
  }
  return { width, height: HEIGHT, data }
}

/** Interpolates the grey between four pixels. Outside the picture, uses its edge. */
function levelAt({ width, height, grey }: GreyPicture, x: number, y: number): number {
  const [insideX, insideY] = [Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y))]
  const [left, top] = [Math.floor(insideX), Math.floor(insideY)]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const [partX, partY] = [insideX - left, insideY - top]
  const upper = (grey[top * width + left] ?? 0) * (1 - partX) + (grey[top * width + right] ?? 0) * partX
  const lower = (grey[bottom * width + left] ?? 0) * (1 - partX) + (grey[bottom * width + right] ?? 0) * partX
  return upper * (1 - partY) + lower * partY
}
