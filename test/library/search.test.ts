import { expect, test } from 'vitest'
import { openCorpus } from '#src/library/main.ts'
import { outputs, receiptOf, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'

async function put(store: MemoryStore, markdown: string, receipt: string): Promise<void> {
  const files = outputs({ 'document.md': markdown })
  await store.documents.commit(
    recordOf('a.md', files, {
      receipt: receiptOf(receipt),
      metadata: { title: 'Works', address: 'https://site.example/a' },
    }),
    files,
  )
}

test('corpus.search follows the store, and corpus.cite states what became of a hit', async () => {
  const store = new MemoryStore()
  await put(store, '# Gates\n\nOak gates cost 4,512 pounds.', 'first')
  await using corpus = await openCorpus(store)
  const [hit] = (await corpus.search('oak gates', { where: "kind = 'text'", group: 'document' })).hits
  if (hit === undefined) throw new Error('no hit')
  expect(hit.body).toBe('# Gates\n\nOak gates cost 4,512 pounds.')
  expect(hit).toMatchObject({ title: 'Gates', documentTitle: 'Works', address: 'https://site.example/a', index: 0 })
  const quotation = { ...hit, text: hit.body }
  expect(await corpus.cite(quotation)).toMatchObject({ kind: 'exact', markdownSpan: hit.markdownSpan })
  await put(store, `Preface.\n\n${hit.body}`, 'second')
  expect(await corpus.cite(quotation)).toMatchObject({ kind: 'moved', markdownSpan: [10, 10 + hit.body.length] })
  await put(store, '# Gates\n\nElm gates.', 'second')
  expect(await corpus.cite(quotation)).toMatchObject({ kind: 'other_version', markdownSpan: null })
  expect((await corpus.cite({ document: 'a.md', text: 'Oak' })).kind).toBe('absent')
  expect((await corpus.cite({ document: 'b.md', text: 'Oak' })).kind).toBe('absent')
  expect((await corpus.search('oak')).hits).toEqual([])
  expect((await corpus.search('elm')).hits).toHaveLength(1)
  await expect(corpus.search('elm', { where: "language = 'en'" })).rejects.toThrow('the index has no column language')
  await expect(corpus.search('elm', { limit: 0 })).rejects.toThrow('limit takes a whole number from 1 to 1000')
})
