import { median } from '../../geometry/box.ts'
import { BEGINS_WITH_RUN, ENDS_IN_RUN } from '../../geometry/ideographs.ts'

/**
 * Threshold of a space's probability. The model omits spaces, but gives them 0.01 or more at one timestep between two
 * words in clean print. Two letters of a word have 0.0004 or less. Noise and compression raise both (45 generated
 * pages).
 */
const MIN_SPACE = 0.01
/** Threshold: ratio to the median pitch of the line. Ideographs have no spaces, so a larger gap separates columns. */
const OTHER_COLUMN = 1.8

/** Model output of a line: the probability of each class for each timestep, from left to right. */
export interface LineReading {
  readonly steps: number
  readonly classes: number
  readonly probabilities: Float32Array
}

export interface LineWord {
  readonly text: string
  /** Start and end, as fractions of the line width. */
  readonly from: number
  readonly to: number
  /** Mean over its letters, 0 to 1. */
  readonly confidence: number
}

interface Letter {
  readonly text: string
  readonly step: number
  readonly confidence: number
  /** True if a space precedes it. */
  readonly begins: boolean
}

/**
 * Decodes the words of a line. `charset` names the classes from 1 on. Class 0 is blank, and the class after the charset
 * is a space.
 */
export function decodeLine(reading: LineReading, charset: readonly string[]): LineWord[] {
  const letters = lettersOf(reading, charset)
  const apart = OTHER_COLUMN * median(letters.slice(1).map(({ step }, index) => step - (letters[index]?.step ?? 0)))
  const words: Letter[][] = []
  for (const letter of letters) {
    const last = words.at(-1)
    const before = last?.at(-1)
    const isOther = before !== undefined && isRun(before.text, letter.text) && letter.step - before.step > apart
    if (last === undefined || letter.begins || isOther) words.push([letter])
    else last.push(letter)
  }
  // The margin of a word is half of its mean glyph pitch.
  return words.map((word, index) => {
    const [first, last] = [word[0] as Letter, word.at(-1) as Letter]
    const before = words[index - 1]?.at(-1)?.step
    const after = words[index + 1]?.[0]?.step
    const half = word.length > 1 ? (last.step - first.step) / (word.length - 1) / 2 : reading.steps
    const from = before === undefined ? 0 : Math.max(first.step - half, (before + first.step) / 2)
    const to = after === undefined ? reading.steps : Math.min(last.step + half, (last.step + after) / 2)
    return {
      text: word.map(({ text }) => text).join(''),
      from: (from === 0 ? 0 : from + 0.5) / reading.steps,
      to: (to === reading.steps ? to : to + 0.5) / reading.steps,
      confidence: word.reduce((sum, { confidence }) => sum + confidence, 0) / word.length,
    }
  })
}

/** A class over consecutive timesteps is one letter. Class 0 separates a repeated letter. */
function lettersOf({ steps, classes, probabilities }: LineReading, charset: readonly string[]): Letter[] {
  const space = charset.length + 1
  const letters: Letter[] = []
  let [previous, spaceBetween] = [0, 0]
  for (let step = 0; step < steps; step += 1) {
    const row = probabilities.subarray(step * classes, (step + 1) * classes)
    const best = largestOf(row)
    spaceBetween = Math.max(spaceBetween, row[space] ?? 0)
    if (best !== 0 && best !== space && best !== previous) {
      const text = charset[best - 1] ?? ''
      const last = letters.at(-1)
      const joined = last === undefined || isRun(last.text, text)
      letters.push({ text, step, confidence: row[best] ?? 0, begins: !joined && spaceBetween > MIN_SPACE })
      spaceBetween = 0
    }
    previous = best
  }
  return letters
}

const isRun = (before: string, after: string): boolean => ENDS_IN_RUN.test(before) && BEGINS_WITH_RUN.test(after)

function largestOf(row: Float32Array): number {
  let best = 0
  for (let index = 1; index < row.length; index += 1) if ((row[index] ?? 0) > (row[best] ?? 0)) best = index
  return best
}
