import type { TextItem } from '@llamaindex/liteparse'
import { compareWords, MOSTLY_FOUND, SAME_WORDS } from './compare-words.ts'

/** A layer whose words differ from the recognised ones in letters only agrees so far when a few of them may differ. */
const SIMILAR = 0.9
/** Clean print is recognised with this mean confidence: then the layer holds the misread letters. */
const CLEAN = 0.94
/** From this mean confidence on, words of the layer that were not recognised are not on the page. */
const SURE = 0.9

export interface LayerJudgement {
  /** `similar`: the same words in other spellings, on a picture that OCR does not read clearly: either may be misread. */
  readonly verdict: 'right' | 'similar' | 'wrong'
  readonly agreement: number
}

/**
 * Judges an invisible layer by all that was recognised on its page. Three lines cut out of damaged print can read so badly
 * that a right layer seems wrong; the page as a whole reads better.
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
