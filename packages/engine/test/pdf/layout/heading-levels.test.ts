import { expect, test } from 'vitest'
import { headingLevels, type PlacedHeading } from '../../../src/pdf/layout/heading-levels.ts'

interface Drawn {
  readonly size: number
  readonly timesText?: number
  readonly bold?: boolean
  readonly depth?: number
  readonly page?: number
  readonly slideTitle?: boolean
  readonly recognised?: boolean
  readonly named?: number | null
  readonly statedTitle?: boolean
  readonly belowText?: boolean
}

function headingOf({
  size,
  timesText = size / 10,
  bold = false,
  depth,
  page = 0,
  slideTitle = false,
  recognised = false,
  named = null,
  statedTitle = false,
  belowText = false,
}: Drawn): PlacedHeading {
  return {
    style: { size, timesText, bold, recognised, depth: depth ?? null, named },
    page,
    slideTitle,
    belowText,
    statedTitle,
  }
}

const levelsOf = (...drawn: readonly Drawn[]): number[] => headingLevels(drawn.map(headingOf))

test('the one heading with the largest letters on page 1 is the title, also below a smaller line', () => {
  expect(levelsOf({ size: 20 }, { size: 14 }, { size: 12 }, { size: 14 })).toEqual([1, 2, 3, 2])
  expect(levelsOf({ size: 12 }, { size: 20 }, { size: 14 })).toEqual([3, 1, 2])
})

test('a single heading is the title only in letters of title size, or when the metadata names it', () => {
  expect(levelsOf({ size: 20 })).toEqual([1])
  expect(levelsOf({ size: 14.4 })).toEqual([2])
  expect(levelsOf({ size: 14.4, statedTitle: true })).toEqual([1])
  expect(levelsOf({ size: 20, depth: 1 })).toEqual([2])
})

test('sections begin at level 2 when no heading is the title', () => {
  expect(levelsOf({ size: 14 }, { size: 14 }, { size: 12 })).toEqual([2, 2, 3])
  expect(levelsOf({ size: 12 }, { size: 20, page: 1 })).toEqual([3, 2])
  expect(levelsOf({ size: 12 }, { size: 20, belowText: true })).toEqual([3, 2])
})

test('numbers override letter sizes: sections of one size are as deep as their numbers', () => {
  expect(levelsOf({ size: 20 }, { size: 14, depth: 1 }, { size: 14, depth: 2 }, { size: 14, depth: 3 })).toEqual([
    1, 2, 3, 4,
  ])
  expect(levelsOf({ size: 10, depth: 2 }, { size: 10, depth: 2 })).toEqual([2, 2])
})

test('bold headings rank above regular ones of the same size', () => {
  expect(levelsOf({ size: 18 }, { size: 12, bold: true }, { size: 12 })).toEqual([1, 2, 3])
})

test('the first heading of each landscape page is a title', () => {
  const slide = { size: 30, slideTitle: true }
  expect(levelsOf(slide, { size: 20 }, { ...slide, page: 1, size: 24 })).toEqual([1, 2, 1])
})

test('recognised headings of similar sizes share a level', () => {
  expect(
    levelsOf({ size: 20, recognised: true }, { size: 14, recognised: true }, { size: 13, recognised: true }),
  ).toEqual([1, 2, 2])
})

test('heading levels end at 6', () => {
  expect(levelsOf(...[40, 34, 29, 25, 21, 18, 15, 12].map((size) => ({ size })))).toEqual([1, 2, 3, 4, 5, 6, 6, 6])
})

test('an outline overrides letters and numbers, one level below a title that it lacks', () => {
  const title = { size: 20 }
  expect(levelsOf(title, { size: 12, named: 1 }, { size: 14, named: 2 }, { size: 9 })).toEqual([1, 2, 3, 4])
  expect(levelsOf(title, { size: 12, named: 1, depth: 1 }, { size: 12, named: 2, depth: 3 })).toEqual([1, 2, 4])
  expect(levelsOf({ size: 20, named: 1 }, { size: 14, named: 2 }, { size: 14 })).toEqual([1, 2, 2])
})

test('a metadata title is front matter, and the outline keeps its own depths', () => {
  expect(levelsOf({ size: 20, statedTitle: true }, { size: 12, named: 1 }, { size: 12, named: 2 })).toEqual([1, 1, 2])
})
