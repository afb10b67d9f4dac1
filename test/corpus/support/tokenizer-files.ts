import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORDS } from './random-text.ts'

/** Writes two tokenizers of the kinds that embedding models use, small ones, and answers their paths. */
export async function writeTokenizers(
  folder: string,
): Promise<{ readonly wordPiece: string; readonly bytePairs: string }> {
  const wordPiece = join(folder, 'word-piece.json')
  const bytePairs = join(folder, 'byte-pairs.json')
  await writeFile(wordPiece, JSON.stringify(wordPieceTokenizer()))
  await writeFile(bytePairs, JSON.stringify(bytePairTokenizer()))
  return { wordPiece, bytePairs }
}

const added = (id: number, content: string): object => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
})

/** As BERT's: lower case, words cut from the left into known pieces, two special tokens around every text. */
function wordPieceTokenizer(): object {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
  const letters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
  const words = WORDS.map((word) => word.toLowerCase())
  const tokens = new Set([
    ...special,
    ...letters,
    ...letters.map((letter) => `##${letter}`),
    ...words,
    '##ing',
    '##ation',
  ])
  return {
    version: '1.0',
    added_tokens: special.map((content, id) => added(id, content)),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries([...tokens].map((token, id) => [token, id])),
    },
  }
}

/** As GPT-2's: bytes, merged by rank. */
function bytePairTokenizer(): object {
  const bytes = byteCharacters()
  const vocab = new Set(bytes)
  const merges: [string, string][] = []
  for (const word of WORDS) {
    for (const whole of [word, `Ġ${word}`]) {
      for (let length = 2; length <= whole.length; length++) {
        const token = whole.slice(0, length)
        if (vocab.has(token)) continue
        vocab.add(token)
        merges.push([whole.slice(0, length - 1), whole.charAt(length - 1)])
      }
    }
  }
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      vocab: Object.fromEntries([...vocab].map((token, id) => [token, id])),
      merges,
    },
  }
}

/** The printable character that stands for each byte. */
function byteCharacters(): string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++))
}
