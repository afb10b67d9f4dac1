import { expect, test } from 'vitest'
import type { GreyPicture } from '../../../../src/pdf/ink/grey-picture.ts'
import { type Band, bandsOf, finderInput, linesInMap, type Planes } from '../../../../src/pdf/ocr/lines/find-lines.ts'
import type { TurnedBox } from '../../../../src/pdf/ocr/lines/turned-box.ts'

const white = (width: number, height: number): GreyPicture => ({
  width,
  height,
  grey: new Uint8Array(width * height).fill(255),
})

/** A map with these areas certain, as [left, top, right, bottom]. */
function mapOf(width: number, height: number, areas: readonly (readonly [number, number, number, number])[]): Planes {
  const data = new Float32Array(width * height)
  for (const [left, top, right, bottom] of areas) {
    for (let y = top; y < bottom; y += 1) data.fill(0.9, y * width + left, y * width + right)
  }
  return { width, height, data }
}

test('a small picture is enlarged and a large one shrunk to multiples of 32', () => {
  const sizes = [white(612, 792), white(400, 300), white(3000, 400)].map((picture) => {
    const { width, height } = finderInput(bandsOf(picture)[0]!)
    return [width, height]
  })
  expect(sizes).toEqual([
    [1184, expect.any(Number)],
    [1536, expect.any(Number)],
    [1536, 192],
  ])
  expect(sizes.flat().every((side) => side % 32 === 0)).toBe(true)
})

test('bands cover a page, and each row belongs to one band', () => {
  const bands = bandsOf(white(1654, 2339))
  expect(bands.length).toBeGreaterThan(1)
  expect(bands.map(({ ownFrom }) => ownFrom)).toEqual([0, ...bands.slice(0, -1).map(({ ownTo }) => ownTo)])
  expect(bands.at(-1)?.ownTo).toBe(2339)
  for (const band of bands) {
    const input = finderInput(band)
    expect(input.width * input.height).toBeLessThan(420_000)
    expect(band.top).toBeLessThanOrEqual(band.ownFrom)
    expect(band.top + band.height).toBeGreaterThanOrEqual(band.ownTo)
  }
})

test('print of a receipt is scaled to the size of that of A3, and the map of a wide band is bounded', () => {
  for (const band of bandsOf(white(583, 7778))) expect(band.scale).toBeGreaterThanOrEqual(0.46)
  for (const picture of [white(583, 7778), white(7778, 583), white(24_000, 500)]) {
    for (const { width, height } of bandsOf(picture).map(finderInput)) expect(width * height).toBeLessThan(720_000)
  }
})

test('a line is the expanded rectangle of its region, and specks and doubtful regions yield none', () => {
  const [band] = bandsOf(white(1536, 256))
  const map = mapOf(1536, 256, [
    [100, 100, 500, 110],
    [700, 100, 702, 102],
  ])
  map.data.fill(0.4, 200 * 1536 + 100, 200 * 1536 + 400)
  const [line, ...others] = linesInMap(map, band!, [])
  expect(others).toEqual([])
  // 400 × 10 grows by 1.5 × 4000 / 820 on each side.
  expect(line?.x).toBeCloseTo(300)
  expect(line?.y).toBeCloseTo(105)
  expect(line?.width).toBeCloseTo(414.6, 1)
  expect(line?.height).toBeCloseTo(24.6, 1)
  expect(line?.cos).toBeCloseTo(1)
})

test('a line in the rows that two bands share is found once', () => {
  const [upper, lower] = bandsOf(white(1654, 2339)) as [Band, Band]
  // Each map may show it a pixel higher or lower than the other one.
  for (const [inUpper, inLower] of [
    [-5, -5],
    [-4, -5],
    [-5, -4],
    [-3, -3],
  ] as const) {
    const at = (band: Band, shift: number, above: readonly TurnedBox[]) => {
      const { width, height } = finderInput(band)
      const y = Math.round(((upper.ownTo - band.top) * height) / band.height) + shift
      return linesInMap(mapOf(width, height, [[100, y, 500, y + 8]]), band, above)
    }
    const found = at(upper, inUpper, [])
    expect([...found, ...at(lower, inLower, found)]).toHaveLength(1)
  }
})

test('a vertical line has a box along its letters', () => {
  const [band] = bandsOf(white(1536, 256))
  const [line] = linesInMap(mapOf(1536, 256, [[100, 20, 110, 240]]), band!, [])
  expect(line?.width).toBeGreaterThan(200)
  expect(Math.abs(line?.sin ?? 0)).toBeCloseTo(1)
})
