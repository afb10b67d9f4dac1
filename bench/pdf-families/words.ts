import type { Random } from '../../test/support/random.ts'

const NOUNS =
  'harbour quay vessel pilot tide cargo crane ledger lantern anchor river survey region budget council station valve engine sample committee annex statute account premium carrier'.split(
    ' ',
  )
const VERBS =
  'records measures carries repairs inspects reports approves delivers collects compares replaces describes widens'.split(
    ' ',
  )
const OTHERS = 'northern annual early public narrow second private coastal former local recent heavy'.split(' ')
const ENDS =
  'in the morning|before the season|at low water|under the new rule|for every member|without delay|during the trial|near the old bridge'.split(
    '|',
  )

export function sentence(random: Random): string {
  const [a, b] = [random.pick(OTHERS), random.pick(OTHERS)]
  const text = `the ${a} ${random.pick(NOUNS)} ${random.pick(VERBS)} ${1 + random.below(900)} ${b} ${random.pick(NOUNS)}s ${random.pick(ENDS)}.`
  return text[0]?.toUpperCase() + text.slice(1)
}

export const phrase = (random: Random): string =>
  `${capital(random.pick(OTHERS))} ${random.pick(NOUNS)} ${random.pick(NOUNS)}`

const capital = (text: string): string => (text[0] ?? '').toUpperCase() + text.slice(1)

export const amount = (random: Random): string =>
  `$${1 + random.below(9)},${String(random.below(1000)).padStart(3, '0')}.${String(random.below(100)).padStart(2, '0')}`

export const day = (random: Random): string =>
  `${2015 + random.below(12)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`

export const code = (random: Random): string =>
  `${String.fromCharCode(65 + random.below(26))}${String.fromCharCode(65 + random.below(26))}-${1000 + random.below(9000)}`

/** Lines of about `characters`. */
export function wrapped(text: string, characters: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= characters) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
