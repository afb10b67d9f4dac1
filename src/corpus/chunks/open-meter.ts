import type { TokenCounter } from './chunk.ts'
import type { TokenMeter } from './token-meter.ts'
import { WholeMeter } from './whole-meter.ts'
import { WordMeter } from './word-meter.ts'

export function openMeter(text: string, counter: TokenCounter, limit: number): TokenMeter {
  const { words = null, overhead } = counter
  if (words === null || !words.suits(text)) return new WholeMeter(text, counter, limit)
  return new WordMeter(text, words, { limit, overhead })
}
