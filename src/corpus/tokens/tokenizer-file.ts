import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TokenCounter, TokenWords } from '#src/corpus/chunks/chunk.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { wordsOf } from '#src/corpus/chunks/words.ts'

/**
 * Opens a tokenizer of Hugging Face. Also reads `tokenizer_config.json` next to the file if present.
 *
 * @throws {SetupError} if the file is missing or not a tokenizer
 */
export async function openTokenizerFile(path: string): Promise<TokenCounter> {
  const definition = await readJson(path)
  if (typeof definition !== 'object' || definition === null || !('model' in definition)) {
    throw new SetupError(`--tokenizer ${path} is not a tokenizer.json of Hugging Face: it has no "model"`)
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
    throw new SetupError(`--tokenizer ${path} is not JSON`, { cause: error })
  }
}

/** Fields of a `tokenizer.json` that decide the ends of words. */
interface Definition {
  readonly model: { readonly type?: string; readonly fuse_unk?: boolean }
  readonly normalizer?: { readonly type: string; readonly handle_chinese_chars?: boolean } | null
  readonly pre_tokenizer?: {
    readonly type: string
    readonly use_regex?: boolean
    readonly add_prefix_space?: boolean
  } | null
  readonly added_tokens?: readonly { readonly content: string; readonly normalized?: boolean }[]
}

interface Config {
  readonly remove_space?: unknown
  readonly do_lowercase_and_remove_accent?: unknown
}

/**
 * Words of a tokenizer of Hugging Face, for BERT and GPT-2. Null unless the file guarantees that tokens stay within
 * words: chunks are then counted as a unit.
 */
function wordsOfFile(definition: object, config: Config, count: (text: string) => number): TokenWords | null {
  const { model, normalizer = null, pre_tokenizer: first = null, added_tokens: added = [] } = definition as Definition
  const isPlain = config.remove_space !== true && config.do_lowercase_and_remove_accent !== true
  const areAddedPlain = added.every(({ content, normalized }) => /^[!-~]+$/.test(content) && normalized !== true)
  if (!isPlain || !areAddedPlain || model.fuse_unk === true || first === null) return null
  const except = added.map(({ content }) => content.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  if (first.type === 'BertPreTokenizer' && model.type === 'WordPiece') {
    if (normalizer !== null && normalizer.type !== 'BertNormalizer') return null
    const pattern = normalizer?.handle_chinese_chars === true ? BERT_CHINESE : BERT
    return wordsOf(pattern, count, new RegExp([...except, CAPITAL_SIGMA].join('|'), 'u'))
  }
  const isByteLevel = first.type === 'ByteLevel' && first.use_regex !== false && first.add_prefix_space !== true
  if (!isByteLevel || model.type !== 'BPE' || normalizer !== null) return null
  return wordsOf(BYTE_LEVEL, count, except.length === 0 ? undefined : new RegExp(except.join('|'), 'u'))
}

/** Its lower case depends on the neighbouring words. */
const CAPITAL_SIGMA = '\u03a3'

/** White space of ASCII only: the normalizer removes other white space, or control characters next to it. */
const BERT = /[ \t\n\r]*(?:[\p{P}!-/:-@[-`{-~]|[^ \t\n\r\p{P}!-/:-@[-`{-~]+)/u

/** Each Chinese character is a word. */
const BERT_CHINESE = /[ \t\n\r]*(?:[\p{P}!-/:-@[-`{-~\u4e00-\u9fff]|[^ \t\n\r\p{P}!-/:-@[-`{-~\u4e00-\u9fff]+)/u

const BYTE_LEVEL = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/u
