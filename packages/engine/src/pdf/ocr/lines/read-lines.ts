import type { TextItem } from '@llamaindex/liteparse'
import type { GreyPicture } from '../../ink/grey-picture.ts'
import { letterShape } from '../../geometry/words.ts'
import type { CpuBudget } from './cpu-budget.ts'
import { decodeLine, type LineWord } from './decode-line.ts'
import { bandsOf, finderInput, linesInMap } from './find-lines.ts'
import { inkedRows } from './ink-box.ts'
import { readerInput } from './line-crop.ts'
import type { LineModels } from './line-models.ts'
import { isVertical, quarterTurned, type TurnedBox, turnedOver } from './turned-box.ts'

/** Threshold of confidence. Lines below it are not text. */
const MIN_CONFIDENCE = 0.5
/** The same threshold for vertical lines. The models read rules and brackets as letters too. */
const MIN_VERTICAL = 0.9
/**
 * Threshold: sine of the angle of a slanted line. Pages are already level, and the layout has no position for slanted
 * text.
 */
const SLANTED = 0.16

/**
 * Number of long lines that decide the orientation. Upright print has a confidence of 0.97 or more, other orientations
 * 0.36 to 0.46.
 */
const PROBED_LINES = 6
const SURELY_UPRIGHT = 0.8
/** Threshold: confidence gain from the other end. Handwriting reads badly from either end. */
const CLEARLY = 0.1

/** Finds the lines of a picture, and reads them on request. */
export class Lines {
  readonly #picture: GreyPicture
  readonly #models: LineModels
  readonly #boxes: readonly TurnedBox[]
  readonly #read = new Map<TurnedBox, readonly LineWord[]>()

  private constructor(picture: GreyPicture, models: LineModels, boxes: readonly TurnedBox[]) {
    this.#picture = picture
    this.#models = models
    this.#boxes = boxes
  }

  static async find(picture: GreyPicture, models: LineModels): Promise<Lines> {
    const boxes: TurnedBox[] = []
    for (const band of bandsOf(picture)) boxes.push(...linesInMap(await models.find(finderInput(band)), band, boxes))
    const isUsual = ({ cos, sin }: TurnedBox): boolean => Math.min(Math.abs(cos), Math.abs(sin)) < SLANTED
    return new Lines(picture, models, boxes.filter(isUsual))
  }

  /** True if most of the text is vertical. */
  get runSideways(): boolean {
    const length = (boxes: readonly TurnedBox[]): number => boxes.reduce((sum, { width }) => sum + width, 0)
    return 2 * length(this.#boxes.filter(isVertical)) > length(this.#boxes)
  }

  /** Returns the mean confidence of the longest lines, 0 to 1. */
  longestConfidence(): Promise<number> {
    return this.#confidenceOf(this.#longest())
  }

  async areUpsideDown(): Promise<boolean> {
    const upright = await this.longestConfidence()
    return upright < SURELY_UPRIGHT && (await this.#confidenceOf(this.#longest().map(turnedOver))) > upright + CLEARLY
  }

  #longest(): readonly TurnedBox[] {
    return this.#boxes.toSorted((a, b) => b.width - a.width).slice(0, PROBED_LINES)
  }

  /** Returns their words, with boxes in pixels. `complete` is false if the budget ran out. */
  async read(budget: CpuBudget | null): Promise<{ readonly items: readonly TextItem[]; readonly complete: boolean }> {
    const items: TextItem[] = []
    for (const box of this.#boxes) {
      if (budget?.leftMs() === 0) return { items, complete: false }
      const { words, along } = await this.#best(box)
      items.push(...itemsOf(words, along, this.#picture))
    }
    return { items, complete: true }
  }

  /** A high box is a glyph, or a vertical line. */
  async #best(box: TurnedBox): Promise<{ readonly words: readonly LineWord[]; readonly along: TurnedBox }> {
    const ways = isVertical(box) ? [turnedOver(quarterTurned(box)), box, turnedOver(box)] : [box]
    let best: { words: readonly LineWord[]; along: TurnedBox; sure: number } = { words: [], along: box, sure: 0 }
    for (const along of ways) {
      const words = await this.#wordsOf(along)
      const sure = meanConfidence(words)
      if (sure > best.sure && sure >= (isVertical(along) ? MIN_VERTICAL : MIN_CONFIDENCE)) best = { words, along, sure }
    }
    return best
  }

  async #confidenceOf(boxes: readonly TurnedBox[]): Promise<number> {
    const words: LineWord[] = []
    for (const box of boxes) words.push(...(await this.#wordsOf(box)))
    return meanConfidence(words)
  }

  /** Reads lines one at a time, because the runtime's memory follows the widest batch. */
  async #wordsOf(box: TurnedBox): Promise<readonly LineWord[]> {
    const words =
      this.#read.get(box) ?? decodeLine(await this.#models.read(readerInput(this.#picture, box)), this.#models.charset)
    this.#read.set(box, words)
    return words
  }
}

function meanConfidence(words: readonly LineWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / Math.max(1, letters)
}

/**
 * Maps model confidence to Tesseract's at equal accuracy, because both readers share thresholds. Calibrated by hand on
 * 19 documents. Grades rank pages equally well on either scale. No value is low enough to drop a word, since that
 * decision is per line.
 */
const SCALE: readonly (readonly [own: number, known: number])[] = [
  [0, 0.36],
  [0.5, 0.4],
  [0.8, 0.5],
  [0.9, 0.75],
  [0.97, 0.94],
  [1, 0.97],
]

function calibrated(confidence: number): number {
  // A sum of single-precision floats may exceed 1.
  const share = Math.min(1, confidence)
  const at = Math.max(
    1,
    SCALE.findIndex(([own]) => own >= share),
  )
  const [[ownFrom, from], [ownTo, to]] = [SCALE[at - 1] ?? [0, 0], SCALE[at] ?? [1, 1]]
  return from + ((to - from) * (share - ownFrom)) / (ownTo - ownFrom)
}

/**
 * Converts the words of a line to items. Words of a level line share a baseline and the size of most of their glyphs.
 */
function itemsOf(words: readonly LineWord[], line: TurnedBox, picture: GreyPicture): TextItem[] {
  const boxes = words.map((word) => ({ ...areaOf(word, line), confidence: calibrated(word.confidence) }))
  if (isVertical(line)) return boxes.map((box) => ({ ...box, rotation: line.sin > 0 ? 90 : 270 }))
  const seen = boxes.map((box) => {
    const rows = inkedRows(picture, box)
    const { height, rise } = letterShape(box.text)
    const middle = box.y + box.height / 2
    return { letters: box.text.length, size: rows.height / height, drop: rows.y + rows.height * rise - middle }
  })
  const size = middleOf(seen.map((word) => ({ value: word.size, weight: word.letters })))
  const drop = middleOf(seen.map((word) => ({ value: word.drop, weight: word.letters })))
  return boxes.map((box) => {
    const shape = letterShape(box.text)
    const height = shape.height * size
    return { ...box, height, y: box.y + box.height / 2 + drop - shape.rise * height }
  })
}

/** Returns the weighted interquartile mean. Rows of pixels are integers, and some words are underlined or stained. */
function middleOf(values: readonly { readonly value: number; readonly weight: number }[]): number {
  const total = values.reduce((sum, { weight }) => sum + weight, 0)
  let [below, sum] = [0, 0]
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    sum += value * Math.max(0, Math.min(below + weight, 0.75 * total) - Math.max(below, 0.25 * total))
    below += weight
  }
  return sum / (total / 2)
}

function areaOf({ text, from, to }: LineWord, line: TurnedBox): TextItem {
  const middle = ((from + to) / 2 - 0.5) * line.width
  const [x, y] = [line.x + middle * line.cos, line.y + middle * line.sin]
  const [long, short] = [(to - from) * line.width, line.height]
  const [width, height] = isVertical(line) ? [short, long] : [long, short]
  return { text, x: x - width / 2, y: y - height / 2, width, height }
}
