import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCorpus, parsedAnswer, type Parser, run, type Source, sourceKey, version } from '#src/library/main.ts'
import { collect } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { REDIS_CACHE_DIR } from '../support/redis.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A source of the caller's own, whose texts may change between runs. */
const sourceOf = (texts: ReadonlyMap<string, string>): Source => ({
  url: 'memory://texts/',
  async *list() {
    for (const [name, text] of texts) {
      yield { kind: 'document', key: sourceKey(name), version: version(text), bytes: Buffer.byteLength(text) }
    }
  },
  async open(key) {
    const text = texts.get(key)
    if (text === undefined) return { code: 'vanished', stage: 'read', message: `${key} is not there` }
    return {
      kind: 'opened',
      version: version(text),
      bytes: Buffer.byteLength(text),
      async *read() {
        yield Buffer.from(text)
      },
      unchanged: async () => texts.get(key) === text,
      async [Symbol.asyncDispose]() {},
    }
  },
})

/** Counts what it is asked for; each answer costs `credits`. */
function counting(credits: number): Parser & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    service: 'counting',
    ready: async () => null,
    async parse(request, signal) {
      let html = ''
      for await (const bytes of request.read(signal)) html += Buffer.from(bytes).toString()
      asked.push(html)
      return parsedAnswer({ markdown: html.replaceAll(/<[^>]+>/g, '') }, credits)
    },
  }
}

const textsOf = (names: readonly string[]): Map<string, string> =>
  new Map(names.map((name) => [`${name}.html`, `<h1>${name}</h1>`]))

describe('with custom ports of the library,', { timeout: 240_000 }, () => {
  test('a store supports a run, a second run, chunks and changes', async () => {
    await using folder = await tempFolder()
    const texts = textsOf(['one', 'two', 'three'])
    const [source, parser, out] = [sourceOf(texts), counting(0), new MemoryStore()]
    const settings = {
      stateDir: join(folder.path, 'state'),
      cacheDir: REDIS_CACHE_DIR,
      spool: join(folder.path, 'spool'),
    }
    const first = await run({ source, parser, out, settings })
    expect(first).toMatchObject({ end: 'complete', isWhole: true, counts: { done: 3 } })
    await using corpus = await openCorpus(out)
    const cursor = await corpus.cursor()
    const chunks = await collect(corpus.chunks())
    expect(chunks.map(({ text }) => text).toSorted()).toEqual(['one', 'three', 'two'])

    texts.set('two.html', '<h1>another</h1>')
    texts.delete('one.html')
    const second = await run({ source, parser, out, settings })
    expect(second).toMatchObject({ end: 'complete', counts: { done: 2 } })
    expect(parser.asked.toSorted()).toEqual(['<h1>another</h1>', '<h1>one</h1>', '<h1>three</h1>', '<h1>two</h1>'])
    const changes = await collect(corpus.changes({ since: cursor }))
    expect(changes.map(({ change, document }) => `${change} ${document}`).toSorted()).toEqual([
      'changed two.html',
      'gone one.html',
    ])
  })

  test('a store in the form of 0.2.0 is refused in one sentence that names its gaps', async () => {
    const { url, feed, notes } = new MemoryStore()
    const former = { url, feed, notes, readRecord: async () => null } as object as MemoryStore
    const refused = /^the given store lacks receipts, documents, deadLetters, manifest, maintenance: /
    await expect(run({ source: sourceOf(textsOf(['one'])), out: former })).rejects.toThrow(refused)
    await expect(openCorpus(former)).rejects.toThrow(refused)
  })

  test('a parser with a price respects the budget and buys nothing twice', async () => {
    await using folder = await tempFolder()
    const [source, parser] = [sourceOf(textsOf(['a', 'b', 'c', 'd', 'e', 'f'])), counting(2)]
    const out = join(folder.path, 'out')
    const settings = { cacheDir: REDIS_CACHE_DIR, spool: join(folder.path, 'spool') }
    const capped = await run({ source, parser, price: 2, out, settings: { ...settings, maxCredits: 7 } })
    expect(capped).toMatchObject({ end: 'halted', cause: 'budget', credits: { reported: 6 } })
    expect(parser.asked).toHaveLength(3)
    const rest = await run({ source, parser, price: 2, out, settings })
    expect(rest).toMatchObject({ end: 'complete', isWhole: true, counts: { done: 6 } })
    expect(new Set(parser.asked).size).toBe(6)
    expect(parser.asked).toHaveLength(6)
  })
})
