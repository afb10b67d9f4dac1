import { parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { renderHtml, renderMarkdown } from '#src/view/render-markdown.ts'
import { hostileDocuments } from './hostile-documents.ts'

interface Node {
  readonly nodeName: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Node[]
}

const nodesOf = (node: Node): Node[] => [node, ...(node.childNodes ?? []).flatMap(nodesOf)]

/** Attributes that neither load, nor lead away, nor run. */
const HARMLESS = new Set(['data-start', 'data-end', 'colspan', 'rowspan', 'align', 'dir', 'lang', 'start'])

test('each element of rendered Markdown names the part of the Markdown that it shows', () => {
  const markdown = '# Title\n\nText 💧 here.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
  const rendered = renderMarkdown(markdown)
  expect(rendered).toContain('<h1 data-start="0" data-end="7">Title</h1>')
  const spans = [...rendered.matchAll(/<td data-start="(\d+)" data-end="(\d+)">/g)]
  expect(spans.map(([, start, end]) => markdown.slice(Number(start), Number(end)))).toEqual(['| 1 ', '| 2 |'])
})

test('an HTML table inside Markdown stays a table', () => {
  expect(renderMarkdown('<table><tr><td colspan="2">x</td></tr></table>')).toContain('<td colspan="2">x</td>')
})

test('Markdown of a thousand levels is shown', () => {
  expect(renderMarkdown(`${'> '.repeat(1_000)}deep`)).toContain('deep')
})

test.each([7])('a hostile document is rendered without anything that loads, navigates or runs (seed %i)', (seed) => {
  for (const text of hostileDocuments(seed, 80)) {
    for (const rendered of [renderMarkdown(text), renderHtml(text)]) {
      const attributes = nodesOf(parseFragment(rendered) as unknown as Node).flatMap(({ nodeName, attrs = [] }) => {
        expect([
          'script',
          'style',
          'iframe',
          'object',
          'embed',
          'link',
          'meta',
          'base',
          'form',
          'svg',
          'img',
        ]).not.toContain(nodeName)
        return attrs.map(({ name }) => name)
      })
      expect(
        attributes.filter((name) => !HARMLESS.has(name)),
        text,
      ).toEqual([])
    }
  }
})

test('a text direction control is shown by its code', () => {
  expect(renderMarkdown('photo\u202egpj.exe')).toContain('photo[U+202E]gpj.exe')
  expect(renderHtml('<p>a\u2066b</p>')).toContain('a[U+2066]b')
})
