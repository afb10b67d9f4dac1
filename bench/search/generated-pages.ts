import type { Random } from '../../test/support/random.ts'

const VOCABULARY = 60_000

/** Zipf's exponent of English prose. */
const EXPONENT = 1.05

const SYLLABLES = 'ka lo mi ren tas ver do shi bel gra nu pon qui sta wer zan fli ost hem jur'.split(' ')

/** Prose of about 600 words in sections, with words as frequent as those of a language; without facts. */
export function generatedPages(random: Random): (document: number) => { markdown: string; facts: [] } {
  const ranks = Float64Array.from({ length: VOCABULARY }, (_, rank) => 1 / (rank + 1) ** EXPONENT)
  let sum = 0
  const upTo = ranks.map((share) => (sum += share))
  const word = (): string => {
    const drawn = random.next() * sum
    let [low, high] = [0, VOCABULARY - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 0) < drawn) low = middle + 1
      else high = middle
    }
    return spelled(low)
  }
  const words = (count: number): string => Array.from({ length: count }, word).join(' ')
  const section = (): string => `## ${words(4)}\n\n${Array.from({ length: 6 }, () => `${words(16)}.`).join(' ')}`
  return (document) => ({
    markdown: [`# ${words(3)} ${document}`, ...Array.from({ length: 6 }, section)].join('\n\n'),
    facts: [],
  })
}

/** A word of at least three letters for each number. */
function spelled(number: number): string {
  let text = SYLLABLES[number % SYLLABLES.length] ?? ''
  for (let rest = number; rest > 0 || text.length < 3; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length] ?? ''
  }
  return text
}
