import { describe, expect, test } from 'vitest'
import type { ContextAnswer, ContextModel } from '#src/corpus/context/context-model.ts'
import { ContextWriter } from '#src/corpus/context/context-writer.ts'
import { promptFor } from '#src/corpus/context/prompt.ts'
import { contextHash, receiptName } from '#src/corpus/context/receipt.ts'
import { contentHash } from '#src/document/ids.ts'
import { sha256 } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { wordCounter } from './support/word-counter.ts'

const WRITTEN = { kind: 'written', text: 'About it.', tokens: 40, by: 'm-1' } as const

interface Scripted extends ContextModel {
  readonly asked: string[]
}

/** A model that answers what the test says, once it has kept it. */
function scripted(answer: (number: number) => ContextAnswer = () => WRITTEN, name = 'm'): Scripted {
  const asked: string[] = []
  return {
    name,
    options: {},
    asked,
    async ask({ prompt }, keep) {
      const said = answer(asked.push(prompt))
      await new Promise(setImmediate)
      if (said.kind === 'written') await keep(said)
      return said
    },
  }
}

const writerOf = (store: MemoryStore, model: ContextModel): ContextWriter =>
  new ContextWriter({ storage: store.contexts, model, counter: wordCounter, now: () => new Date(0) })

const request = (text: string, of = 'document') => ({
  contentHash: contentHash(sha256(of)),
  markdown: `# Title\n\n${text}`,
  span: [9, 9 + text.length] as const,
  text,
})

describe('the context of a chunk', () => {
  test('is bought once for the same chunk, document, model and prompt, also at the same time', async () => {
    const store = new MemoryStore()
    const model = scripted()
    const writer = writerOf(store, model)
    const both = await Promise.all([writer.contextOf(request('one')), writer.contextOf(request('one'))])
    expect(both).toEqual(['About it.', 'About it.'])
    const later = writerOf(store, model)
    expect(await later.contextOf(request('one'))).toBe('About it.')
    expect(model.asked).toHaveLength(1)
    expect(writer.tally).toMatchObject({ bought: 1, kept: 1, tokens: 40 })
    expect(later.tally).toMatchObject({ bought: 0, kept: 1, tokens: 0 })
  })

  test('is bought again for another chunk, another document and another model', async () => {
    const store = new MemoryStore()
    const model = scripted()
    for (const each of [request('one'), request('two'), request('one', 'other')]) {
      await writerOf(store, model).contextOf(each)
    }
    expect(model.asked).toHaveLength(3)
    const other = scripted(undefined, 'm-2')
    await writerOf(store, other).contextOf(request('one'))
    expect(other.asked).toHaveLength(1)
  })

  test('whose receipt is damaged is bought again', async () => {
    const store = new MemoryStore()
    const model = scripted()
    const name = receiptName(contextHash({ ...request('one'), model: 'm', options: {} }))
    await store.contexts.write(name, Buffer.from('{"format":1,"te'))
    expect(await writerOf(store, model).contextOf(request('one'))).toBe('About it.')
    expect(await writerOf(store, model).contextOf(request('one'))).toBe('About it.')
    expect(model.asked).toHaveLength(1)
  })

  test('that the model failed on is missing, and the next export asks again', async () => {
    const store = new MemoryStore()
    const model = scripted((number) => (number === 1 ? { kind: 'failed', message: 'no' } : WRITTEN))
    const first = writerOf(store, model)
    expect(await first.contextOf(request('one'))).toBeNull()
    expect(first.tally).toMatchObject({ missing: 1, failure: 'no', halted: null })
    expect(await writerOf(store, model).contextOf(request('one'))).toBe('About it.')
  })

  test('that was bought before is used after a halt, and nothing more is asked', async () => {
    const store = new MemoryStore()
    await writerOf(store, scripted()).contextOf(request('one'))
    const model = scripted(() => ({ kind: 'halted', message: 'the budget is used up' }))
    const writer = writerOf(store, model)
    const texts = ['two', 'three', 'one'].map((text) => request(text))
    const all = []
    for (const each of texts) all.push(await writer.contextOf(each))
    expect(all).toEqual([null, null, 'About it.'])
    expect(model.asked).toHaveLength(1)
    expect(writer.tally).toMatchObject({ missing: 2, kept: 1, halted: 'the budget is used up' })
  })
})

test('the model is shown the beginning of a long document and what is around the chunk', () => {
  const markdown = `BEGIN ${'a '.repeat(30_000)}NEAR chunk NEAR${' b'.repeat(30_000)} END`
  const start = markdown.indexOf('chunk')
  const prompt = promptFor(markdown, [start, start + 5], 'chunk')
  expect(prompt.length).toBeLessThan(26_000)
  expect(prompt).toMatch(/BEGIN [^]*\[…\][^]*NEAR chunk NEAR[^]*\[…\]\n<\/document>/)
  expect(prompt).not.toContain('END')
  expect(promptFor('short', [0, 5], 'short')).toContain('<document>\nshort\n</document>')
})
