import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { contentHash, recipeHash, receiptId } from '#src/document/ids.ts'
import { halvesOf, pageLists, pageListText, pagesOfReceipt, partHash, qpdfRange } from '#src/document/page-list.ts'
import { receiptIdOf, receiptPath } from '#src/outputs/receipt-bytes.ts'

const content = contentHash('ab'.repeat(32))
const recipe = recipeHash('0123456789abcdef')
const pages = fc
  .uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 400 })
  .map((list) => list.toSorted((a, b) => a - b))

test('a list of pages is written in ranges', () => {
  expect(pageListText([3, 7, 8, 9, 12])).toBe('3.7_9.12')
  expect(qpdfRange([3, 7, 8, 9, 12])).toBe('3,7-9,12')
})

test('the receipt of a page list has a valid file name with its pages', () => {
  fc.assert(
    fc.property(pages, fc.integer({ min: 1, max: 200 }), (all, most) => {
      const lists = pageLists(all, most)
      expect(lists.flat()).toEqual(all)
      for (const list of lists) {
        expect(list.length).toBeLessThanOrEqual(most)
        const id = receiptId(partHash(content, list), recipe, 'service')
        const name = receiptPath(id).split('/').at(-1) ?? ''
        expect(name.length).toBeLessThanOrEqual(220)
        expect(receiptIdOf(name)).toBe(id)
        expect(pagesOfReceipt(id, content, recipe)).toEqual(list)
      }
    }),
  )
})

test('a receipt of a full document, of the engine or of another recipe matches no page list', () => {
  const part = partHash(content, [1, 2])
  expect(pagesOfReceipt(receiptId(content, recipe, 'service'), content, recipe)).toBeNull()
  expect(pagesOfReceipt(receiptId(part, recipe, 'embedded'), content, recipe)).toBeNull()
  expect(pagesOfReceipt(receiptId(part, recipeHash('f'.repeat(16)), 'service'), content, recipe)).toBeNull()
})

test('the halves of a page list hold all of its pages, and neither is empty', () => {
  fc.assert(
    fc.property(pages, (list) => {
      expect(halvesOf(list).flat()).toEqual(list)
      expect(halvesOf(list).every((half) => half.length > 0 && (list.length === 1 || half.length < list.length))).toBe(
        true,
      )
    }),
  )
})
