import { expect, test } from 'vitest'
import { citationParams, readCitation } from '#src/view/citation.ts'
import { renderMarkdown } from '#src/view/render-markdown.ts'
import { Random } from '../support/random.ts'

const cited = (search: string): object => readCitation(new URLSearchParams(search))

test('a citation link names spans, boxes and a receipt, and omits malformed parts', () => {
  expect(cited('span=10-20&span=3-5&box=0.1,0.2,0.8,1&receipt=abc')).toEqual({
    spans: [
      [3, 5],
      [10, 20],
    ],
    boxes: [[0.1, 0.2, 0.8, 1]],
    receipt: 'abc',
  })
  const bad = 'span=5-5&span=9-3&span=-1-4&span=a-b&box=1,2,3&box=0,0,2,1&box=,,,&box=0.5,0,0.2,1&box=0,0,1,1,1'
  expect(cited(bad)).toEqual({ spans: [], boxes: [], receipt: null })
})

test('the parameters of a citation link are read back as written, for any key', () => {
  for (const key of ['a b#c?d&e=f.pdf', '100%.md', '../x', 'ünï/💧\n.txt', '+']) {
    const params = new URLSearchParams(citationParams(key, { spans: [[4, 9]], receipt: 'r' }, 3))
    expect([params.get('key'), params.get('page'), readCitation(params)]).toEqual([
      key,
      '3',
      { spans: [[4, 9]], boxes: [], receipt: 'r' },
    ])
  }
})

const marksOf = (html: string): string[] =>
  [...html.matchAll(/<mark[^>]*>([^<]*)<\/mark>/g)].map(([, text]) => text ?? '')

test('a cited span is marked to the character across paragraphs and cells, and scrolled to', () => {
  const markdown = '# Title\n\nOne 💧 two three.\n\n| a | b |\n|---|---|\n| cell | other |\n'
  const from = markdown.indexOf('two')
  const to = markdown.indexOf('ell |')
  const html = renderMarkdown(markdown, [[from, to]])
  expect(marksOf(html)).toEqual(['two three.', 'a', 'b', 'c'])
  expect(html.match(/id="cited"/g)).toHaveLength(1)
  expect(html.indexOf('id="cited"')).toBeLessThan(html.indexOf('two three'))
})

test('an HTML table and an escaped text are marked entirely', () => {
  expect(renderMarkdown('<table><tr><td>x</td></tr></table>', [[8, 12]])).toMatch(/class="cited" id="cited"><table>/)
  expect(marksOf(renderMarkdown('a \\* b', [[0, 1]]))).toEqual(['a * b'])
})

test('a document in the view cannot mark positions itself', () => {
  expect(renderMarkdown('<p data-start="0" data-end="9" class="cited" id="cited">x</p>', [])).not.toMatch(
    /cited|data-start="0" data-end="9"/,
  )
})

test('random spans of random Markdown mark each letter of a word that they cover, and no other (seed 5)', () => {
  const random = new Random(5)
  for (let round = 0; round < 100; round += 1) {
    const words = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const joints = [' ', '\n', '\n\n', '\n\n- ', '\n\n> ', ' **', '\n\n## ']
    const markdown = words.map((word) => `${word}${random.pick(joints)}`).join('')
    const start = random.below(markdown.length - 1)
    const end = start + 1 + random.below(markdown.length - start - 1)
    const expected = markdown.slice(start, end).replaceAll(/[^w\d]/g, '')
    expect(
      marksOf(renderMarkdown(markdown, [[start, end]]))
        .join('')
        .replaceAll(/[^w\d]/g, ''),
      markdown,
    ).toBe(expected)
  }
})
