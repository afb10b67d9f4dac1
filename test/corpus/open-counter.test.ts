import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { writeTokenizers } from './support/tokenizer-files.ts'

describe('a token counter', () => {
  test('counts like its encoding, and treats special tokens as text', async () => {
    const counter = await openCounter('cl100k_base')
    expect([counter.count(''), counter.count('hello world'), counter.count('<|endoftext|>')]).toEqual([0, 2, 7])
  })

  test('of a tokenizer file counts the special tokens of the model', async () => {
    await using folder = await tempFolder()
    const { wordPiece } = await writeTokenizers(folder.path)
    const counter = await openCounter(wordPiece)
    expect([counter.overhead, counter.count('the payment')]).toEqual([2, 4])
  })

  test.each([
    ['gpt-9', /"gpt-9" is unknown: give o200k_base, cl100k_base/],
    ['missing/tokenizer.json', /missing\/tokenizer\.json cannot be read/],
  ])('refuses %s in one sentence', async (name, message) => {
    await expect(openCounter(name)).rejects.toThrow(message)
  })

  test('refuses a file that is not a tokenizer', async () => {
    await using folder = await tempFolder()
    const path = join(folder.path, 'package.json')
    await writeFile(path, '{"name": "x"}')
    await expect(openCounter(path)).rejects.toThrow(/is not a tokenizer\.json of Hugging Face/)
    await writeFile(path, 'text')
    await expect(openCounter(path)).rejects.toThrow(/is not JSON/)
  })
})
