import type { TextItem } from '@llamaindex/liteparse'
import { compareWords, MOSTLY_FOUND, SAME_WORDS } from './compare-words.ts'

/** Threshold of similarity. A layer above it differs from the recognised words only in single letters. */
const SIMILAR = 0.9
/** Threshold of mean confidence for clean print. Above it, the misread letters are in the layer. */
const CLEAN = 0.94
/** Threshold of mean confidence. Above it, layer words without a recognised match are not on the page. */
const SURE = 0.9

export interface LayerJudgement {
  /**
   * `similar`: the same words in other spellings, on a picture that OCR does not read clearly. Either text may be
   * misread.
   */
  readonly verdict: 'right' | 'similar' | 'wrong'
  readonly agreement: number
}

/**
 * Judges an invisible layer by the complete recognised text of its page. Three lines of damaged print may read so badly
 * that a correct layer seems wrong. The complete page reads better.
 */
export function judgeLayer(
  layer: readonly TextItem[],
  recognised: readonly TextItem[],
  meanConfidence: number,
): LayerJudgement {
  const { agreement, similarity, found } = compareWords(layer, recognised)
  const isOther = meanConfidence >= SURE && found < MOSTLY_FOUND
  if (agreement >= SAME_WORDS) return { verdict: isOther ? 'wrong' : 'right', agreement }
  return { verdict: similarity >= SIMILAR && meanConfidence < CLEAN ? 'similar' : 'wrong', agreement }
}
