import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { isJointOfCl100k, isJointOfO200k } from './joints.ts'

type Count = (text: string, options: { readonly disallowedSpecial: Set<string> }) => number

interface Encoding {
  readonly load: () => Promise<{ readonly countTokens: Count }>
  readonly isJoint: TokenCounter['isJoint']
}

/** Encodings of gpt-tokenizer, newest first; each is read from disk when it is asked for. */
const ENCODINGS = {
  o200k_base: { load: () => import('gpt-tokenizer/encoding/o200k_base'), isJoint: isJointOfO200k },
  cl100k_base: { load: () => import('gpt-tokenizer/encoding/cl100k_base'), isJoint: isJointOfCl100k },
  p50k_base: { load: () => import('gpt-tokenizer/encoding/p50k_base'), isJoint: null },
  r50k_base: { load: () => import('gpt-tokenizer/encoding/r50k_base'), isJoint: null },
} as const satisfies Record<string, Encoding>

export type EncodingName = keyof typeof ENCODINGS

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[]

export const isEncoding = (name: string): name is EncodingName => Object.hasOwn(ENCODINGS, name)

/** What looks like a special token in a document is text. */
const NONE = { disallowedSpecial: new Set<string>() }

export async function openEncoding(name: EncodingName): Promise<TokenCounter> {
  const { load, isJoint } = ENCODINGS[name]
  const { countTokens } = await load()
  return { name, overhead: 0, isJoint, count: (text) => (text === '' ? 0 : countTokens(text, NONE)) }
}
