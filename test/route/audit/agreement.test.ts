import { expect, test } from 'vitest'
import { agreementOf } from '#src/route/audit/agreement.ts'

const PAGE = '# Annual report\n\nRevenue rose by 12.5 % to 1,204 in 2024.\n\n## Costs\n\nThey fell.'

test('the agreement of a page with itself is complete', () => {
  expect(agreementOf(PAGE, PAGE)).toEqual({ text: 1, order: 1, headings: 1, numbers: 1 })
})

test('the agreement of texts ignores Markdown syntax, hyphens at line ends and letter case', () => {
  const other =
    'ANNUAL REPORT\n\nRevenue **rose** by 12.5 % to [1,204](https://example.org/9) in 2024.\n\nCo-\nsts They fell.'
  expect(agreementOf(PAGE, other)).toMatchObject({ text: 1, order: 1, numbers: 1, headings: 0 })
})

test('the agreement of words in another order is complete as text and not in order', () => {
  const { text, order } = agreementOf('one two three four', 'three four one two')
  expect([text, order]).toEqual([1, 0.5])
})

test('the agreement of pages counts a wrong digit as a wrong number', () => {
  expect(agreementOf('in 2024 it was 17', 'in 2024 it was 11').numbers).toBe(0.5)
})

test('the agreement of an empty page is complete with an empty one and zero with others', () => {
  expect(agreementOf('', ' \n')).toEqual({ text: 1, order: 1, headings: null, numbers: null })
  expect(agreementOf('', 'words')).toMatchObject({ text: 0, order: 0 })
})
