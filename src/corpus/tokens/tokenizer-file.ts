import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { wordsOfFile } from './file-words.ts'

/**
 * A tokenizer of Hugging Face. `tokenizer_config.json` beside the file is read if it is there.
 *
 * @throws {SetupError} where the file is missing or no tokenizer
 */
export async function openTokenizerFile(path: string): Promise<TokenCounter> {
  const definition = await readJson(path)
  if (typeof definition !== 'object' || definition === null || !('model' in definition)) {
    throw new SetupError(`--tokenizer ${path} is no tokenizer.json of Hugging Face: it has no "model"`)
  }
  const config = (await readJson(join(dirname(path), 'tokenizer_config.json')).catch(() => ({}))) ?? {}
  const { Tokenizer } = await import('@huggingface/tokenizers')
  try {
    const tokenizer = new Tokenizer(definition, config)
    const count = (text: string): number => tokenizer.encode(text).ids.length
    const overhead = count('')
    count('A text: 1.')
    const words = wordsOfFile(definition, config, (text) => count(text) - overhead)
    return { name: basename(path), overhead, count, words }
  } catch (error) {
    throw new SetupError(
      `--tokenizer ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    )
  }
}

async function readJson(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new SetupError(`--tokenizer ${path} cannot be read: give an encoding or the path of a tokenizer.json`, {
      cause: error,
    })
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new SetupError(`--tokenizer ${path} is no JSON`, { cause: error })
  }
}
