import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { openTokenizerFile } from './tokenizer-file.ts'
import { wordsOf } from '#src/corpus/chunks/words.ts'

/**
 * Opens the counter of an encoding (`o200k_base`) or of a tokenizer file of Hugging Face (`./tokenizer.json`).
 *
 * @throws {SetupError} if there is none
 */
export async function openCounter(name: string): Promise<TokenCounter> {
  if (isEncoding(name)) return openEncoding(name)
  if (name.endsWith('.json') || name.includes('/')) return openTokenizerFile(name)
  throw new SetupError(
    `--tokenizer "${name}" is unknown: give ${ENCODING_NAMES.join(', ')} or the path of a tokenizer.json`,
  )
}

type Count = (text: string, options: { readonly disallowedSpecial: Set<string> }) => number

export type EncodingName = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'r50k_base'

interface Encoding {
  /** Loads the encoding lazily. */
  readonly load: () => Promise<{ readonly countTokens: Count }>
  readonly pattern: 'O200K_TOKEN_SPLIT_REGEX' | 'CL100K_TOKEN_SPLIT_REGEX' | 'R50K_TOKEN_SPLIT_REGEX'
}

/** Encodings of gpt-tokenizer, newest first. The package exports no type for them, hence the interface. */
const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = {
  o200k_base: { load: () => import('gpt-tokenizer/encoding/o200k_base'), pattern: 'O200K_TOKEN_SPLIT_REGEX' },
  cl100k_base: { load: () => import('gpt-tokenizer/encoding/cl100k_base'), pattern: 'CL100K_TOKEN_SPLIT_REGEX' },
  p50k_base: { load: () => import('gpt-tokenizer/encoding/p50k_base'), pattern: 'R50K_TOKEN_SPLIT_REGEX' },
  r50k_base: { load: () => import('gpt-tokenizer/encoding/r50k_base'), pattern: 'R50K_TOKEN_SPLIT_REGEX' },
}

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[]

const isEncoding = (name: string): name is EncodingName => Object.hasOwn(ENCODINGS, name)

/** Special tokens in a document are plain text. */
const NONE = { disallowedSpecial: new Set<string>() }

export async function openEncoding(name: EncodingName): Promise<TokenCounter> {
  const { load, pattern } = ENCODINGS[name]
  const [{ countTokens }, patterns] = await Promise.all([load(), import('gpt-tokenizer/encodingParams/constants')])
  const count = (text: string): number => (text === '' ? 0 : countTokens(text, NONE))
  return { name, overhead: 0, count, words: wordsOf(patterns[pattern], count) }
}
