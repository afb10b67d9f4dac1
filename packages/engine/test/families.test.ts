import { expect, test } from 'vitest'
import { createEngine } from '../src/server/create-engine.ts'
import type { ParsedData } from '@sluice/contract'
import { parseWith } from './support/engine-client.ts'
import { pdfOf } from './support/pdf-of.ts'
import { shared } from '../../../test/support/shared.ts'

const engine = await shared(createEngine({ children: 1 }))

async function parse(file: File, options: object): Promise<ParsedData> {
  const { status, body } = await parseWith(engine, { file, options })
  if (body.data === undefined) throw new Error(`${status} ${body.error}`)
  return body.data
}

test('the answer of the engine for a PDF has pages, blocks and counts', async () => {
  const file = new File([pdfOf(['Hello from page one', 'And from page two'])], 'two.pdf')
  const data = await parse(file, { parsers: [{ type: 'pdf', pages: true, blocks: true, maxPages: 1 }] })
  expect(data.pages).toMatchObject([{ pageNumber: 1, markdown: expect.stringContaining('page one') }])
  expect(data.blocks?.[0]?.items[0]?.markdownSpan).toEqual([0, expect.any(Number)])
  expect(data.metadata).toMatchObject({ numPages: 1, totalPages: 2, contentType: 'application/pdf' })
})

test('the answer of the engine for an HTML page has every format', async () => {
  const html = '<html><head><title>T</title></head><body><h1>Hi</h1><p><a href="https://x.org/">x</a></p></body></html>'
  const formats = ['markdown', 'html', 'rawHtml', 'links', 'images']
  const data = await parse(new File([html], 'page.html', { type: 'text/html' }), { formats, onlyMainContent: false })
  expect(data).toMatchObject({ rawHtml: html, links: ['https://x.org/'], images: [], metadata: { title: 'T' } })
  expect(data.markdown).toContain('# Hi')
  expect(data.html).toContain('<h1>Hi</h1>')
})

test('a table in an answer of the engine has HTML rendered from its Markdown', async () => {
  const data = await parse(new File(['a,b\n1,2\n'], 't.csv'), { formats: ['html'] })
  expect(data.html?.replace(/\s/g, '')).toContain('<td>1</td><td>2</td>')
})

test.each([
  ['a comment', `<!-- ${'word '.repeat(2_000)}`],
  ['a tag', `<a title="${'word '.repeat(2_000)}`],
  ['a script', `<script>${'word '.repeat(2_000)}`],
])('a page left empty by %s that is not closed carries a warning', async (_, page) => {
  const data = await parse(new File([page], 'page.html'), {})
  expect(data).toMatchObject({ markdown: '', warning: 'No text was found in 10 KB of markup.' })
  expect((await parse(new File(['<p></p>'], 'page.html'), {})).warning ?? null).toBeNull()
})
