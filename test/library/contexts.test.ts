import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ContextTally, openCorpus, SetupError } from '#src/library/main.ts'
import { contextFor, startChatService } from '../support/chat-service.ts'
import { collect, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { REDIS_CACHE_DIR } from '../support/redis.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENTS = 5

async function storeOf(): Promise<MemoryStore> {
  const store = new MemoryStore()
  for (let number = 0; number < DOCUMENTS; number++) {
    const files = outputs({ 'document.md': `# Lock ${number}\n\nGate ${number} is old.\n` })
    await store.commit(recordOf(`${number}.md`, files), files)
  }
  return store
}

const withContexts = (contextUrl: string, folder: string) => ({
  contextUrl,
  contextModel: 'm',
  stateDir: join(folder, 'state'),
  cacheDir: REDIS_CACHE_DIR,
})

describe('contexts of the library', { timeout: 240_000 }, () => {
  test('stand before each chunk, and are bought once', async () => {
    await using folder = await tempFolder()
    await using service = await startChatService()
    const settings = withContexts(service.url, folder.path)
    await using corpus = await openCorpus(await storeOf(), settings)
    const tallies: ContextTally[] = []
    const onContexts = (tally: ContextTally): void => void tallies.push(tally)
    const first = await collect(corpus.chunks({ context: true, onContexts }))
    const contexts = new Set(service.requests.map(({ prompt }) => contextFor(prompt)))
    expect(contexts.size).toBe(DOCUMENTS)
    for (const { context, text, body } of first) {
      expect(contexts).toContain(context)
      expect(text).toBe(`${context}\n\n${body}`)
    }
    expect(await collect(corpus.chunks({ context: true, onContexts }))).toEqual(first)
    expect(tallies).toMatchObject([
      { bought: DOCUMENTS, kept: 0, missing: 0 },
      { bought: 0, kept: DOCUMENTS, missing: 0 },
    ])
    expect(service.requests).toHaveLength(DOCUMENTS)
    // Without contexts nothing is asked.
    expect((await collect(corpus.chunks())).map(({ context }) => context)).toEqual(Array(DOCUMENTS).fill(null))
  })

  test('that are missing are an error behind the last chunk, unless the caller takes the tally', async () => {
    await using folder = await tempFolder()
    await using service = await startChatService(() => ({ status: 401, body: { error: { code: 'invalid_api_key' } } }))
    const settings = withContexts(service.url, folder.path)
    await using corpus = await openCorpus(await storeOf(), settings)
    let chunks = 0
    const read = async (): Promise<void> => {
      for await (const { context } of corpus.chunks({ context: true })) chunks += context === null ? 1 : 0
    }
    await expect(read()).rejects.toThrow(/5 chunks have no context \(.*401.*\): read them again to go on/)
    expect(chunks).toBe(DOCUMENTS)
  })

  test('need a model', async () => {
    await using corpus = await openCorpus(await storeOf(), { cacheDir: REDIS_CACHE_DIR })
    await expect(collect(corpus.chunks({ context: true }))).rejects.toThrow(SetupError)
  })
})
