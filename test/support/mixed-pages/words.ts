import nlp from 'compromise'
import { Random } from '../random.ts'

const FUNCTION_WORDS =
  'the of and to in is that it was for on are as with his they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know'.split(
    ' ',
  )

interface LexiconModel {
  readonly one: { readonly lexicon: Readonly<Record<string, unknown>> }
}

const CONTENT_WORDS = Object.keys((nlp.model() as unknown as LexiconModel).one.lexicon)
  .filter((word) => /^[a-z]{4,11}$/.test(word))
  .sort()

const VOCABULARY = 500
const FUNCTION_SHARE = 0.4

/** A source of prose: a vocabulary of its own, so that no page of one source repeats what a page of another taught. */
export function sourceOf(number: number): (random: Random, count: number) => string[] {
  const drawn = new Random(977 * (number + 1))
  const vocabulary = Array.from({ length: VOCABULARY }, () => drawn.pick(CONTENT_WORDS))
  return (random, count) => {
    const words: string[] = []
    let inSentence = 0
    while (words.length < count) {
      const dice = random.next()
      let word = dice < FUNCTION_SHARE ? random.pick(FUNCTION_WORDS) : random.pick(vocabulary)
      if (dice > 0.96) word = String(random.below(9_000) + 10)
      if (inSentence === 0) word = word.charAt(0).toUpperCase() + word.slice(1)
      inSentence += 1
      if (inSentence > 6 && random.next() < 0.2) {
        word += '.'
        inSentence = 0
      }
      words.push(word)
    }
    return words
  }
}
