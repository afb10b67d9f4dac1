import { describe, expect, test } from 'vitest'
import { convertOffice } from '#src/engine/office/convert-office.ts'
import { convertSpreadsheet } from '#src/engine/office/convert-spreadsheet.ts'
import type { GeneratedFile, TrueWord } from './generated/draw.ts'
import { sheetFile } from './generated/sheet-file.ts'
import { slideFile } from './generated/slide-file.ts'
import { wordFile } from './generated/word-file.ts'

/** `OFFICE_DRAWS=1000 OFFICE_SEED=…` for a long run; a failure prints the seed of its file. */
const draws = Number(process.env['OFFICE_DRAWS'] ?? 90)
const firstSeed = Number(process.env['OFFICE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** Share of the words below which a conversion without a warning counts as silent loss. */
const LEAST = 0.9

const MAKERS = [wordFile, slideFile, sheetFile] as const

interface Outcome {
  readonly seed: number
  readonly file: GeneratedFile
  readonly warning: string | null
  readonly lost: readonly TrueWord[]
}

async function outcomeOf(seed: number): Promise<Outcome> {
  const make = MAKERS[seed % MAKERS.length] ?? wordFile
  const file = make(seed)
  const options = { removeBase64Images: true, onlyMainContent: (seed >>> 4) % 2 === 0 }
  const convert = file.extension === 'xlsx' ? convertSpreadsheet : convertOffice
  const { markdown, warning } = await convert(file.bytes, file.extension, options)
  return { seed, file, warning, lost: file.words.filter(({ word }) => !markdown.includes(word)) }
}

/** Share of lost words for each construct, as a table for a person. */
function distribution(outcomes: readonly Outcome[]): Record<string, string> {
  const all = new Map<string, [found: number, lost: number]>()
  for (const { file, lost } of outcomes) {
    for (const entry of file.words) {
      const name = `${file.extension} ${entry.construct}`
      const [found, missing] = all.get(name) ?? [0, 0]
      all.set(name, lost.includes(entry) ? [found, missing + 1] : [found + 1, missing])
    }
  }
  return Object.fromEntries(
    [...all]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, [found, lost]]) => [name, `${found} of ${found + lost}`]),
  )
}

describe(`office files of seeds from ${firstSeed}`, () => {
  test('lose no word in silence, whatever constructs they hold', { timeout: 600_000 }, async () => {
    const outcomes: Outcome[] = []
    for (let index = 0; index < draws; index += 1) outcomes.push(await outcomeOf(firstSeed + index))
    const warned = outcomes.filter(({ warning }) => warning !== null).length
    const partly = outcomes.filter(({ warning, lost }) => warning === null && lost.length > 0).length
    console.log(
      `OFFICE_SEED=${firstSeed} draws ${draws}, with a warning ${warned}, without one but a word lost ${partly}`,
    )
    console.log(distribution(outcomes))
    const silent = outcomes.filter(
      ({ file, warning, lost }) => warning === null && lost.length > (1 - LEAST) * file.words.length,
    )
    expect(silent.map(({ seed, lost }) => ({ seed, lost }))).toEqual([])
  })

  test('are the same for the same seed', () => {
    for (const make of MAKERS) expect(make(firstSeed).bytes.equals(make(firstSeed).bytes)).toBe(true)
  })
})
