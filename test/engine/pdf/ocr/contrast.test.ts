import { expect, test } from 'vitest'
import { evenContrast } from '#src/engine/pdf/ocr/contrast.ts'

const [WIDTH, HEIGHT] = [400, 400]

/** A sheet of 72 dpi: strokes of `ink`, four pixels wide, on a surface that may differ from point to point. */
function sheet(level: (x: number, y: number) => { readonly surface: number; readonly ink: number }) {
  const grey = new Uint8Array(WIDTH * HEIGHT)
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const { surface, ink } = level(x, y)
      grey[y * WIDTH + x] = x % 16 < 4 && y % 12 < 8 ? ink : surface
    }
  }
  return { width: WIDTH, height: HEIGHT, grey, perPoint: 1 }
}

const at = (grey: Uint8Array, x: number, y: number): number => grey[y * WIDTH + x] ?? 0

test('light letters on a dark surface stay lighter than it where a page is levelled', () => {
  const banner = (y: number): boolean => y >= 100 && y < 220
  const drawing = sheet((_, y) => (banner(y) ? { surface: 60, ink: 250 } : { surface: 200, ink: 150 }))
  const { grey } = evenContrast(drawing)
  // The faded print beside it is levelled: paper white, ink black.
  expect(at(grey, 8, 300)).toBeGreaterThan(240)
  expect(at(grey, 1, 300)).toBeLessThan(60)
  expect(at(grey, 1, 146) - at(grey, 8, 146)).toBeGreaterThan(100)
})

test('dark letters in a shadow are levelled as before', () => {
  const { grey } = evenContrast(sheet((x) => (x < 200 ? { surface: 120, ink: 40 } : { surface: 250, ink: 20 })))
  expect(at(grey, 72, 200)).toBeGreaterThan(220)
  expect(at(grey, 65, 195)).toBeLessThan(80)
})
