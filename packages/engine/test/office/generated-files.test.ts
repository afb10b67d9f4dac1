import { describe, expect, test } from 'vitest'
import { bookFile } from './generated/book-file.ts'
import type { GeneratedFile, TrueWord } from './generated/draw.ts'
import { binarySheetFile, separatedFile } from './generated/tables.ts'
import { openSheetFile, openSlideFile, textFile } from './generated/open-document.ts'
import { pageFile } from './generated/page-file.ts'
import { rtfFile } from './generated/rtf-file.ts'
import { sheetFile } from './generated/sheet-file.ts'
import { slideFile } from './generated/slide-file.ts'
import { wordFile } from './generated/word-file.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { convertBytes } from '../../../../test/support/convert-bytes.ts'

/** `OFFICE_DRAWS=1000 OFFICE_SEED=…` for a long run; a failure prints the seed of its file. */
const draws = Number(process.env['OFFICE_DRAWS'] ?? 90)
const firstSeed = seedFrom('OFFICE_SEED', 'fresh')
/** Share of the words below which a conversion that does not name the construct in a warning counts as silent loss. */
const LEAST = 0.9
/** What deleted text, scripts and readings of cells consist of in every generated file: no reader sees it. */
const UNSEEN = /struck out|unseen/

const MAKERS = [
  wordFile,
  slideFile,
  sheetFile,
  textFile,
  openSheetFile,
  openSlideFile,
  rtfFile,
  pageFile,
  bookFile,
  binarySheetFile,
  separatedFile,
] as const

interface Outcome {
  readonly seed: number
  readonly file: GeneratedFile
  readonly warning: string | null
  readonly lost: readonly TrueWord[]
  readonly showsUnseen: boolean
}

async function outcomeOf(seed: number): Promise<Outcome> {
  const make = MAKERS[seed % MAKERS.length] ?? wordFile
  const file = make(seed)
  // The main content of a page without any is drawn by chance: what is distinguished from furniture is tested elsewhere.
  const onlyMainContent = file.extension !== 'html' && (seed >>> 4) % 2 === 0
  const { markdown, warning } = await convertBytes(file.bytes, file.extension, { onlyMainContent })
  const lost = file.words.filter(({ word }) => !markdown.includes(word))
  return { seed, file, warning, lost, showsUnseen: UNSEEN.test(markdown) }
}

/** Share of lost words for each construct, as a table for a person. */
function distribution(outcomes: readonly Outcome[]): Record<string, string> {
  const all = new Map<string, [found: number, lost: number]>()
  for (const { file, lost } of outcomes) {
    for (const drawn of file.words) {
      const name = `${file.extension} ${drawn.construct}`
      const [found, missing] = all.get(name) ?? [0, 0]
      all.set(name, lost.includes(drawn) ? [found, missing + 1] : [found + 1, missing])
    }
  }
  return Object.fromEntries(
    [...all]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, [found, lost]]) => [name, `${found} of ${found + lost}`]),
  )
}

/** Words of constructs that the warning does not name. */
const unreported = ({ lost, warning }: Outcome): readonly TrueWord[] =>
  lost.filter(({ construct }) => !(warning ?? '').includes(construct))

describe(`office files of seeds from ${firstSeed}`, () => {
  test('lose no word silently, whatever their constructs', { timeout: 1_200_000 }, async () => {
    const outcomes: Outcome[] = []
    for (let index = 0; index < draws; index += 1) outcomes.push(await outcomeOf(firstSeed + index))
    const warned = outcomes.filter(({ warning }) => warning !== null).length
    const partly = outcomes.filter((outcome) => unreported(outcome).length > 0).length
    console.log(
      `OFFICE_SEED=${firstSeed} draws ${draws}, with a warning ${warned}, with a word lost that none names ${partly}`,
    )
    console.log(distribution(outcomes))
    const silent = outcomes.filter((outcome) => unreported(outcome).length > (1 - LEAST) * outcome.file.words.length)
    expect(silent.map(({ seed, lost }) => ({ seed, lost }))).toEqual([])
    expect(outcomes.filter(({ showsUnseen }) => showsUnseen).map(({ seed }) => seed)).toEqual([])
  })

  test('are the same for the same seed', () => {
    for (const make of MAKERS) expect(make(firstSeed).bytes.equals(make(firstSeed).bytes)).toBe(true)
  })
})
