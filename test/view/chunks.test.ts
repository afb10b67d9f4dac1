import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openCorpus } from '#src/library/main.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { hostileDocuments } from './hostile-documents.ts'
import { serve } from './support/served.ts'

const SCHEMA = resolve(import.meta.dirname, '../../docs/schemas/output-line.schema.json')

async function put(store: OutputStore, key: string, markdown: string, blocks = '', changes = {}): Promise<void> {
  const files = outputs({ 'document.md': markdown, 'blocks.jsonl': blocks })
  await store.documents.commit(recordOf(key, files, changes), files)
}

/** Sections of which each is a chunk. */
const sections = (number: number): string =>
  Array.from({ length: number }, (_, at) => `## Section ${at + 1}\n\n${`oak ${at} `.repeat(60)}`).join('\n\n')

const linkOf = (text: string, pattern: RegExp): string =>
  (pattern.exec(text)?.[1] ?? '').replaceAll('&amp;', '&').replace(/#.*/, '')

test('the console lists the chunks of a document as the export divides it, with their places', async () => {
  const block = { pageNumber: 2, width: 100, height: 200, status: 'ok', id: 'p2.b0', type: 'text', readingOrder: 0 }
  const markdown = '# Gates\n\nOak <b>gates</b> & locks.'
  const line = JSON.stringify({ ...block, bbox: [0.1, 0.2, 0.5, 0.6], content: '', markdownSpan: [0, markdown.length] })
  await using served = await serve((store) => put(store, 'a&b.pdf', markdown, `${line}\n`))
  const { status, text, headers } = await served.get('chunks?key=a%26b.pdf')
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  expect(text).toContain('1 chunk of at most 256 tokens')
  expect(text).toMatch(/Chunk 1, page 2<\/a>\s*<small>text, 15 tokens<\/small>/)
  expect(text).toContain('<pre># Gates\n\nOak &lt;b&gt;gates&lt;/b&gt; &amp; locks.</pre>')
  const opened = await served.get(linkOf(text, /class="name" href="\/[^/]+\/(document[^"]+)"/))
  expect(opened.text).toContain(`<strong>Cited:</strong> a part of page 2, characters 0 to ${markdown.length}`)
  expect(opened.text).toContain('Chunks of this document')
  expect(served.errors).toEqual([])
})

test('the list of chunks has the ids of the export, in pages, and a hit opens its chunk', async () => {
  const markdown = sections(120)
  await using served = await serve((store) => put(store, 'long.md', markdown))
  const ids: string[] = []
  for (const page of [1, 2, 3]) {
    const { chunks, total } = JSON.parse((await served.get(`api/chunks?key=long.md&page=${page}`)).text) as {
      readonly total: number
      readonly chunks: readonly {
        readonly id: string
        readonly body: string
        readonly markdownSpan: [number, number]
      }[]
    }
    expect(total).toBe(120)
    for (const { id, body, markdownSpan } of chunks) {
      expect(markdown.slice(...markdownSpan)).toBe(body)
      ids.push(id)
    }
  }
  await using corpus = await openCorpus(served.store)
  const exported: string[] = []
  for await (const { id } of corpus.chunks({ limit: 256 })) exported.push(id)
  expect(ids).toEqual(exported)
  const first = await served.get('chunks?key=long.md')
  expect(first.text.match(/<li id="chunk-/g)).toHaveLength(50)
  expect(first.text).toContain('Page 1 of 3')
  expect(first.text).toContain('<a rel="next" href="?key=long.md&amp;page=2">')
  const hits = await served.get('search?q=%22section+77%22')
  const found = await served.get(linkOf(hits.text, /href="\/[^/]+\/(chunks[^"]+)"/))
  expect(found.text).toContain('Page 2 of 3')
  expect(found.text).toMatch(/<li id="chunk-77" class="cited">[^]*?## Section 77\n/)
  expect((await served.get('chunks?key=long.md&page=9')).text).toContain('120 chunks')
})

test('the list of chunks follows a changed document, and names the reason for none', async () => {
  await using served = await serve(async (store) => {
    await put(store, 'a.md', 'Before.')
    await put(store, 'gone.md', 'Gone.', '', { goneAt: '2026-11-22T00:00:00.000Z' })
    const html = outputs({ 'document.html': 'oak' })
    await store.documents.commit(recordOf('page.html', html), html)
    await store.deadLetters.bury(letterOf('broken.pdf'))
  })
  expect((await served.get('chunks?key=a.md')).text).toContain('<pre>Before.</pre>')
  await put(served.store, 'a.md', 'After.')
  await put(served.store, 'new.md', 'New.')
  expect((await served.get('chunks?key=a.md')).text).toContain('<pre>After.</pre>')
  expect((await served.get('chunks?key=new.md')).text).toContain('<pre>New.</pre>')
  expect((await served.get('chunks?key=gone.md')).text).toContain('No chunks: this document has no chunks: it is gone')
  expect((await served.get('chunks?key=page.html')).text).toContain('it was parsed without Markdown')
  const { status, text } = await served.get('chunks?key=broken.pdf')
  expect([status, text.includes('the store has no such document')]).toEqual([404, true])
  expect(served.errors).toEqual([])
})

test('texts of hostile documents are shown as text in the list of chunks and in hits', async () => {
  const documents = hostileDocuments(7, 60)
  await using served = await serve(async (store) => {
    for (const [number, markdown] of documents.entries()) await put(store, `${number}.md`, markdown)
  })
  for (const number of documents.keys()) {
    for (const path of [`chunks?key=${number}.md`, 'search?q=x+text+window+title']) {
      const { status, text } = await served.get(path)
      const inside = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
      const tags = new Set([...inside.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name = '']) => name))
      expect(status).toBe(200)
      expect([...tags].filter((tag) => !/^(main|h1|p|a|ol|li|small|pre|mark|nav|span)$/.test(tag))).toEqual([])
    }
  }
  expect(served.errors).toEqual([])
})

/** Fields of a hit of `sluice search --json`. */
async function fieldsOfCommand(): Promise<readonly string[]> {
  const { allOf } = JSON.parse(await readFile(SCHEMA, 'utf8')) as {
    readonly allOf: readonly { readonly then: { readonly required: readonly string[] } }[]
  }
  return allOf.find(({ then }) => then.required.includes('snippet'))?.then.required.toSorted() ?? []
}

test('a hit shows the title of its document, and the address of its page on the web', async () => {
  const metadata = { title: 'Gates <2024>', address: 'https://site.example/gates?a=1&b=2' }
  await using served = await serve((store) => put(store, 'site/gates.html', 'Oak gates.', '', { metadata }))
  const { text } = await served.get('search?q=oak')
  expect(text).toContain('<small>Gates &lt;2024&gt;</small>')
  expect(text).toContain('<small>https://site.example/gates?a=1&amp;b=2</small>')
  const { hits } = JSON.parse((await served.get('api/search?q=oak&limit=1&group=document')).text) as {
    readonly hits: readonly { readonly documentTitle: string; readonly address: string; readonly link: string }[]
  }
  expect(hits).toMatchObject([
    { rank: 1, documentTitle: metadata.title, address: metadata.address, body: 'Oak gates.' },
  ])
  expect((await served.get(hits[0]?.link ?? '')).text).toContain('characters 0 to 10')
  expect(Object.keys(hits[0] ?? {}).toSorted()).toEqual(await fieldsOfCommand())
})
