import { expect, test } from 'vitest'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { serve } from './support/served.ts'

test('the console searches the text of documents, and a hit opens its document at its span', async () => {
  await using served = await serve(async (store) => {
    const files = outputs({ 'document.md': '# Gates\n\nOak <b>gates</b> at Gannet Lock.', 'blocks.jsonl': '' })
    await store.documents.commit(recordOf('a&b.md', files), files)
    await store.deadLetters.bury(letterOf('broken.pdf'))
  })
  const { text } = await served.get('search?q=gannet+%22oak%22')
  expect(text).toContain('1 hit in 1 document; 1 document failed')
  expect(text).toContain('<mark>Oak</mark> &lt;b&gt;gates&lt;/b&gt; at <mark>Gannet</mark> Lock.')
  expect(text).toContain('value="gannet &quot;oak&quot;"')
  const [, link = ''] = /class="name" href="\/[^/]+\/(document[^"]+)"/.exec(text) ?? []
  const opened = await served.get(link.replaceAll('&amp;', '&'))
  expect(opened.text).toMatch(/Cited:<\/strong> characters 0 to \d+/)
  expect((await served.get('search?q=nowhere')).text).toContain('0 hits in 1 document; 1 document failed')
  expect((await served.get('search?q=-x')).text).toContain('The question has no word to search for.')
  expect((await served.get('search')).text).toContain('<h1>Search</h1>')
  expect((await served.get('documents')).text).toContain('action="/')
  expect(served.errors).toEqual([])
})

test('the console states that the first update of the index is not complete', async () => {
  const stuck = Promise.withResolvers<void>()
  const { ConsoleSearch } = await import('#src/view/console-search.ts')
  const refuse = (): Promise<never> => Promise.reject(new Error('not yet'))
  const search = { isComplete: false, update: () => stuck.promise, answer: refuse, chunks: refuse }
  const signal = new AbortController().signal
  await using served = await serve(async () => undefined, {
    search: new ConsoleSearch(search, signal, () => undefined),
  })
  for (const path of ['search?q=oak', 'chunks?key=a.md']) {
    expect((await served.get(path)).text).toContain('The index is being built: 0 documents so far.')
  }
  const refused = await served.get('api/search?q=oak')
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('the index is being built')])
  stuck.resolve()
})

test('the page of failures groups partial documents by reason', async () => {
  await using served = await serve(async (store) => {
    const files = outputs({ 'document.md': 'text' })
    const problems = ['page 3 of 9 is missing in the answer', 'pages 1, 4 and 2 more of 12 are missing in the answer']
    for (const [number, problem] of problems.entries()) {
      const changes = { outcome: 'partial', problems: [problem] } as const
      await store.documents.commit(recordOf(`${number}.pdf`, files, changes), files)
    }
  })
  const { text } = await served.get('failures')
  expect(text).toMatch(/<h2 id="partial-0">pages … .* missing in the answer <span class="badge partial">2<\/span>/)
  expect(text).toContain('document?key=1.pdf')
})
