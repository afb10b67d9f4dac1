import { expect, test } from 'vitest'
import { excerptOf, kindOf, nameOfType } from '#src/view/block-text.ts'

test.each([
  ['section_header', '## 2. Gannet *Lock*', '2. Gannet Lock'],
  ['list_item', '- 1,130 volunteers', '1,130 volunteers'],
  ['text', 'a \\* b < c', 'a * b < c'],
  ['table', '| Item | Spent \\| paid |\n| --- | ---: |\n| Oak | 1 |\n| Elm | 2 |', '2 rows: Item, Spent | paid'],
  ['table', '<table><tr><td>One</td><td>Two</td></tr></table>', 'One Two'],
  ['text', '', ''],
  ['text', 'x'.repeat(500), `${'x'.repeat(160)}…`],
])('the line of a block of type %s shows its content: %j', (type, content, expected) => {
  expect(excerptOf({ type, content })).toBe(expected)
})

test('the view shows block types that a service made up by kind and name', () => {
  expect(['section_header', 'page_header', 'Table-Cell', 'list_item', 'aside'].map(kindOf)).toEqual([
    'heading',
    'header',
    'table',
    'list',
    'other',
  ])
  expect(nameOfType('section_header')).toBe('Section header')
})
