import type { GreyPicture, PageDrawing } from '../../../packages/engine/src/pdf/ink/grey-picture.ts'
import { Random } from '../random.ts'
import { type Damage, damaged, damageOf, jpegQuality, photograph } from './damage.ts'
import { heightOf, setLines, type Setting, textOperators } from './text-block.ts'
import { type MixedPage, writePdf } from './write-pdf.ts'
import nlp from 'compromise'
import { drawnSheet } from './drawn-page.ts'

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
export function proseOf(number: number): (random: Random, count: number) => string[] {
  const vocabularyRandom = new Random(977 * (number + 1))
  const vocabulary = Array.from({ length: VOCABULARY }, () => vocabularyRandom.pick(CONTENT_WORDS))
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

/** How the words of a page are made: in letters, in a picture, as outlines, under a layer, or several of these. */
export const KINDS = [
  'native',
  'native_photo',
  'scan',
  'header_on_scan',
  'right_layer',
  'wrong_layer',
  'outlined',
  'half',
  'inset',
  'blank',
] as const
export type Kind = (typeof KINDS)[number]

/** A page whose words are known exactly. */
export interface RandomPage {
  readonly seed: number
  /** Its vocabulary, font and size; pages of one source never stand on both sides of a split. */
  readonly source: number
  readonly kind: Kind
  readonly damage: Damage
  readonly inForm: boolean
  /** False where the damage left its sheet white or black all over: no reader can find words on it. */
  readonly showsPrint: boolean
  /** The words that a person reads on it. */
  readonly words: readonly string[]
  /** A PDF of it alone. */
  readonly pdf: Buffer
  /** The same for `writePdf`, to stand among other pages. */
  readonly content: MixedPage
}

const SOURCES = 40
const [WIDTH, HEIGHT, MARGIN] = [330, 450, 26]
/** Letters of native text on a page, at the most. */
const MAX_NATIVE_LETTERS = 1500
const SCAN_DPI = [150, 200, 200, 250]

/** The kind of a seed's page, without making it. */
export function kindOf(seed: number): Kind {
  const random = new Random(seed)
  random.below(SOURCES)
  return random.pick(KINDS)
}

/**
 * The page of a seed and a severity of damage (see `damaged`): the same in every run. Pages are small, so that OCR of one
 * takes well under a second.
 */
export async function randomPage(seed: number, severity = 1): Promise<RandomPage> {
  const random = new Random(seed)
  const source = random.below(SOURCES)
  const kind = random.pick(KINDS)
  const setting: Setting = {
    x: MARGIN,
    top: MARGIN,
    width: WIDTH - 2 * MARGIN,
    size: 9 + (source % 5),
    font: source % 3,
  }
  const maker = new PageMaker(random, source, setting, severity)
  const damage = kind.startsWith('native') || kind === 'blank' || kind === 'outlined' ? 'none' : damageOf(seed, random)
  const inForm = random.next() < 0.5
  const { words, page, sheet } = await maker.make(kind, damage)
  const showsPrint = sheet === undefined || contrastOf(sheet) >= MIN_CONTRAST
  const content = { width: WIDTH, height: HEIGHT, inForm, ...page }
  return { seed, source, kind, damage, inForm, showsPrint, words, pdf: writePdf(content), content }
}

/** Difference of the darkest and the lightest level of a sheet, of 255, below which its print has vanished. */
const MIN_CONTRAST = 16

function contrastOf({ grey }: GreyPicture): number {
  let [least, most] = [255, 0]
  for (const level of grey) {
    if (level < least) least = level
    if (level > most) most = level
  }
  return most - least
}

interface Made {
  readonly words: readonly string[]
  readonly page: Pick<MixedPage, 'pictures' | 'under' | 'over'>
  /** The damaged picture that holds words. */
  readonly sheet?: GreyPicture
}

class PageMaker {
  readonly #random: Random
  readonly #words: (count: number) => string[]
  readonly #setting: Setting

  readonly #severity: number

  constructor(random: Random, source: number, setting: Setting, severity: number) {
    this.#random = random
    this.#severity = severity
    const prose = proseOf(source)
    this.#words = (count) => prose(random, count)
    this.#setting = setting
  }

  async make(kind: Kind, damage: Damage): Promise<Made> {
    if (kind === 'native' || kind === 'native_photo') return this.#native(kind === 'native_photo')
    if (kind === 'blank') return { words: [], page: { pictures: [] } }
    if (kind === 'outlined') return this.#outlined()
    if (kind === 'half' || kind === 'inset') return this.#beside(damage, kind === 'half')
    return this.#scan(kind, damage)
  }

  #native(withPhoto: boolean): Made {
    // A page holds so many lines; what would stand below its edge is no word of it.
    const most = Math.floor((HEIGHT - 2 * MARGIN) / (this.#setting.size * 1.3)) - 1
    const lines = setLines(fitting(this.#words(260), this.#random.below(MAX_NATIVE_LETTERS)), this.#setting).slice(
      0,
      most,
    )
    const words = lines.flatMap(({ text }) => text.split(' '))
    const top = MARGIN + heightOf(lines.length, this.#setting.size) + 8
    const free = HEIGHT - MARGIN - top
    const photo = withPhoto && free > 60 ? [photoAt(top, free, this.#random)] : []
    return { words, page: { pictures: photo, over: textOperators(lines, this.#setting, HEIGHT) } }
  }

  async #outlined(): Promise<Made> {
    const words = this.#words(12 + this.#random.below(60))
    const lines = setLines(words, this.#setting)
    const native = this.#random.next() < 0.5 ? [] : this.#words(this.#random.below(60))
    const below = { ...this.#setting, top: MARGIN + heightOf(lines.length, this.#setting.size) + 12 }
    const drawing = await drawn(textOperators(lines, this.#setting, HEIGHT), 150)
    const over = outlines(drawing) + textOperators(setLines(native, below), below, HEIGHT)
    return { words: [...words, ...native], page: { pictures: [], over } }
  }

  /** A picture of words, and native words below it: as many as it has, or many more. */
  async #beside(damage: Damage, half: boolean): Promise<Made> {
    const inPicture = this.#words(half ? 30 + this.#random.below(30) : 12 + this.#random.below(16))
    const lines = setLines(inPicture, this.#setting)
    const cut = MARGIN + heightOf(lines.length, this.#setting.size) + 6
    const sheet = damaged(
      cutOff(await drawn(textOperators(lines, this.#setting, HEIGHT), this.#random.pick(SCAN_DPI)), cut),
      damage === 'turn' ? 'none' : damage,
      this.#random,
      this.#severity,
    )
    const jpeg = jpegQuality(damage, this.#random, this.#severity)
    const below = { ...this.#setting, top: cut + 8 }
    const native = this.#words(half ? 20 + this.#random.below(30) : 60 + this.#random.below(60))
    const fit = fitting(
      native,
      Math.floor(((HEIGHT - cut - MARGIN - 10) / (below.size * 1.3)) * ((WIDTH - 2 * MARGIN) / (below.size * 0.68))),
    )
    return {
      words: [...inPicture, ...fit],
      page: {
        pictures: [{ picture: sheet, x: 0, top: 0, width: WIDTH, height: cut, jpegQuality: jpeg }],
        over: textOperators(setLines(fit, below), below, HEIGHT),
      },
      sheet,
    }
  }

  async #scan(kind: Kind, damage: Damage): Promise<Made> {
    const setting = { ...this.#setting, top: MARGIN + 24 }
    const words = this.#words(25 + this.#random.below(75))
    const lines = setLines(words, setting)
    const sheet = damaged(
      await drawn(textOperators(lines, setting, HEIGHT), this.#random.pick(SCAN_DPI)),
      damage,
      this.#random,
      this.#severity,
    )
    const jpeg = jpegQuality(damage, this.#random, this.#severity)
    const pictures = [{ picture: sheet, x: 0, top: 0, width: WIDTH, height: HEIGHT, jpegQuality: jpeg }]
    if (kind === 'header_on_scan') return { ...this.#withHeader(words, pictures), sheet }
    if (kind === 'right_layer')
      return { words, sheet, page: { pictures, over: textOperators(lines, setting, HEIGHT, { mode: 3 }) } }
    if (kind === 'wrong_layer') {
      const wrong = wronged(words, 0.3 + this.#random.next() * 0.7, this.#words, this.#random)
      return {
        words,
        sheet,
        page: { pictures, over: textOperators(setLines(wrong, setting), setting, HEIGHT, { mode: 3 }) },
      }
    }
    return { words, sheet, page: { pictures } }
  }

  #withHeader(words: readonly string[], pictures: MixedPage['pictures']): Made {
    const header = this.#words(3 + this.#random.below(6))
    const at = { ...this.#setting, size: 8, top: this.#random.pick([8, HEIGHT - 20]) }
    const first = setLines(header, at).slice(0, 1)
    const printed = first.flatMap(({ text }) => text.split(' '))
    return { words: [...words, ...printed], page: { pictures, over: textOperators(first, at, HEIGHT) } }
  }
}

/** The first words that have so many letters together. */
function fitting(words: readonly string[], letters: number): string[] {
  let left = letters
  return words.filter((word) => (left -= word.length) >= 0)
}

/** Some words replaced by others, as a layer of another document or of bad OCR has them. */
function wronged(words: readonly string[], share: number, more: (count: number) => string[], random: Random): string[] {
  const others = more(words.length)
  return words.map((word, index) => (random.next() < share ? (others[index] ?? word) : word))
}

const drawn = (content: string, dpi: number) => drawnSheet({ width: WIDTH, height: HEIGHT }, content, dpi)

function cutOff({ width, grey, perPoint }: PageDrawing, points: number): PageDrawing {
  const height = Math.round(points * perPoint)
  return { width, height, perPoint, grey: grey.slice(0, width * height) }
}

function photoAt(top: number, free: number, random: Random): MixedPage['pictures'][number] {
  const [width, height] = [140 + random.below(120), Math.min(free, 60 + random.below(140))]
  const picture: GreyPicture = photograph(width * 2, Math.floor(height) * 2, random)
  return { picture, x: MARGIN + random.below(WIDTH - 2 * MARGIN - width + 1), top, width, height: Math.floor(height) }
}

/** Darker pixels than this are ink. */
const INK_LEVEL = 150

/** Ink as filled rectangles: print that no text operator wrote. A plain threshold, so that no test of the engine's decides what is on the page. */
function outlines({ width, height, grey, perPoint }: PageDrawing): string {
  const isInk = (at: number): boolean => (grey[at] ?? 255) < INK_LEVEL
  const unit = 1 / perPoint
  const rows: string[] = ['0 g\n']
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!isInk(y * width + x)) continue
      let end = x
      while (end < width && isInk(y * width + end)) end += 1
      rows.push(
        `${(x * unit).toFixed(2)} ${(HEIGHT - (y + 1) * unit).toFixed(2)} ${((end - x) * unit).toFixed(2)} ${unit.toFixed(2)} re f\n`,
      )
      x = end
    }
  }
  return rows.join('')
}
