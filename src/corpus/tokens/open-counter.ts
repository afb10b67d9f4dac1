import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { ENCODING_NAMES, isEncoding, openEncoding } from './encodings.ts'
import { openTokenizerFile } from './tokenizer-file.ts'

/**
 * The counter of an encoding (`o200k_base`) or of a tokenizer file of Hugging Face (`./tokenizer.json`).
 *
 * @throws {SetupError} where there is none
 */
export async function openCounter(name: string): Promise<TokenCounter> {
  if (isEncoding(name)) return openEncoding(name)
  if (name.endsWith('.json') || name.includes('/')) return openTokenizerFile(name)
  throw new SetupError(
    `--tokenizer "${name}" is not known: give ${ENCODING_NAMES.join(', ')} or the path of a tokenizer.json`,
  )
}
