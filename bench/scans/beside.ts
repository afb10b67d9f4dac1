import { codeOf } from '../../packages/engine/src/languages/language-data.ts'
import { readByTesseract } from '../../packages/engine/src/pdf/ocr/read-by-tesseract.ts'
import { provideLanguage, tessdataFolder } from '../../packages/engine/src/pdf/ocr/tessdata.ts'
import { drawnPage } from '../../test/support/mixed-pages/drawn-page.ts'
import { agreement, wordsIn } from '../../test/support/mixed-pages/read-draw.ts'
import type { Language } from './prose.ts'
import type { ScanPage } from './scan-page.ts'

/** What Tesseract makes of a page. */
export interface BesideReading {
  readonly f1: number
  readonly cpuMs: number
}

const DPI = 200

/** Tesseract's code of the language that a page is read in. */
export function codeOfPage(language: Language): string {
  return codeOf(language === 'Chinese and English' ? 'Chinese' : language) ?? 'eng'
}

/** The page upright, in its own language; a Chinese one may hold English. */
export async function readBeside(
  { uprightPdf, truth, language }: ScanPage,
  folder: string,
  fetched: string,
): Promise<BesideReading> {
  const path = await tessdataFolder(folder)
  const code = codeOfPage(language)
  if (!(await provideLanguage(code, path, fetched))) throw new Error(`no OCR data of ${language}`)
  const before = process.cpuUsage()
  const items = await readByTesseract(await drawnPage(uprightPdf, DPI), {
    path,
    languages: code === 'chi_sim' ? [code, 'eng'] : [code],
  })
  const { user, system } = process.cpuUsage(before)
  const { f1 } = agreement(wordsIn(truth), wordsIn(items.map(({ text }) => text).join(' ')))
  return { f1, cpuMs: Math.round((user + system) / 1000) }
}
