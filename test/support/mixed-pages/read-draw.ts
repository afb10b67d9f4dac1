import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PageQuality } from '../../../packages/engine/src/grade/signals.ts'
import { convertPdf } from '../../../packages/engine/src/pdf/convert-pdf.ts'
import { type RandomPage, randomPage } from './random-page.ts'

/** How a random page was read, beside the truth. */
export interface DrawResult extends Pick<RandomPage, 'seed' | 'source' | 'kind' | 'damage' | 'inForm' | 'showsPrint'> {
  readonly severity: number
  readonly words: number
  /** Share of the page's words that came out, and F1 of both; 1 for a page without words that came out empty. */
  readonly recall: number
  readonly f1: number
  readonly status: string
  /** Whether any text of the page was recognised, or tried to be. */
  readonly usedOcr: boolean
  readonly quality: PageQuality
  readonly cpuMs: number
}

/** Makes the page of a seed and converts it as the engine does; `folder` may be written. */
export async function readDraw(seed: number, folder: string, severity = 1): Promise<DrawResult> {
  const { pdf, words, content: _, ...page } = await randomPage(seed, severity)
  const { markdown: _text, ...read } = await readKnownPage({ pdf, truth: words.join(' ') }, folder)
  return { ...page, severity, ...read }
}

/** What the engine makes of a PDF of one page whose text is known; `folder` may be written. */
export interface KnownPageReading extends Pick<
  DrawResult,
  'words' | 'recall' | 'f1' | 'status' | 'usedOcr' | 'quality' | 'cpuMs'
> {
  readonly markdown: string
}

/** `fetched`: the folder with the data of languages beside English. */
export async function readKnownPage(
  { pdf, truth }: { readonly pdf: Buffer; readonly truth: string },
  folder: string,
  fetched: string | null = null,
): Promise<KnownPageReading> {
  const path = join(folder, 'page.pdf')
  await writeFile(path, pdf)
  const before = process.cpuUsage()
  const options = { type: 'pdf', mode: 'auto', pages: false, blocks: true, pageMarkers: false } as const
  const { markdown, blocks, quality } = await convertPdf(
    { path, cacheFolder: join(folder, 'cache'), onlyMainContent: false, ocr: { fetched, allowed: null } },
    options,
  )
  const { user, system } = process.cpuUsage(before)
  await rm(path)
  const [known] = quality ?? []
  if (known === undefined) throw new Error('the conversion says nothing of its page')
  const words = wordsIn(truth)
  return {
    markdown,
    words: words.length,
    ...agreement(words, wordsIn(markdown)),
    status: blocks?.[0]?.status ?? 'none',
    usedOcr: known.signals.ocr !== null,
    quality: known,
    cpuMs: Math.round((user + system) / 1000),
  }
}

/** Letters and digits in lower case; each Han character is a word. */
export const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? []

/** Share of the true words that were found, and F1 of both, wherever they stand. */
export function agreement(
  truth: readonly string[],
  found: readonly string[],
): { readonly recall: number; readonly f1: number } {
  if (truth.length === 0) return { recall: 1, f1: found.length === 0 ? 1 : 0 }
  const left = new Map<string, number>()
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of truth) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    common += 1
    left.set(word, count - 1)
  }
  return { recall: common / truth.length, f1: (2 * common) / (truth.length + found.length) }
}
