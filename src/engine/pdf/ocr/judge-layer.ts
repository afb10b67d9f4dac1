import type { TextItem } from '@llamaindex/liteparse'
import { compareWords, SAME_WORDS } from './compare-words.ts'

/** A layer whose words differ from the recognised ones in letters only agrees so far when a few of them may differ. */
const SIMILAR = 0.9
/** Clean print is recognised with this mean confidence: then the layer holds the misread letters. */
const CLEAN = 0.94

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
  const { agreement, similarity } = compareWords(layer, recognised)
  if (agreement >= SAME_WORDS) return { verdict: 'right', agreement }
  return { verdict: similarity >= SIMILAR && meanConfidence < CLEAN ? 'similar' : 'wrong', agreement }
}
