import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { wordsOfText } from '#src/engine/model/words-of-text.ts'
import type { SentAnswer } from './send.ts'

const run = promisify(execFile)

/** Words that pdftotext must read for its page to be compared. */
const LEAST_WORDS = 5
const LEAST_RECALL = 0.9
/** Words that OCR must be sure of for a page without text to count as one that shows text. */
const LEAST_SEEN = 3
const SURE = 80
/** Pages without text that are read in one document. */
const MOST_READ = 4

/** What a success does not say: pages whose text is missing though they are not reported. Empty for anything but PDF. */
export async function lostOf(path: string, answer: SentAnswer): Promise<string[]> {
  if (!path.toLowerCase().endsWith('.pdf')) return []
  const reported = new Set(answer.problems.map((problem) => Number.parseInt(problem, 10)))
  const open = answer.pages.filter(({ pageNumber }) => !reported.has(pageNumber))
  const all = wordsOfText(answer.markdown)
  const lost: string[] = []
  let read = 0
  for (const { pageNumber, text } of open) {
    const words = wordsOfText(await pdftotext(path, pageNumber))
    // A paragraph that runs on over pages belongs to the page where it begins.
    const recall = Math.max(recallOf(words, wordsOfText(text)), recallOf(words, all))
    if (words.length >= LEAST_WORDS && recall < LEAST_RECALL) {
      lost.push(`page ${pageNumber}: ${Math.round(recall * 100)} % of the ${words.length} words of pdftotext`)
    } else if (wordsOfText(text).length < LEAST_SEEN && read < MOST_READ) {
      read += 1
      const seen = await seenWords(path, pageNumber)
      if (seen.length >= LEAST_SEEN) lost.push(`page ${pageNumber}: OCR sees ${seen.length} words`)
    }
  }
  return lost
}

async function pdftotext(path: string, page: number): Promise<string> {
  try {
    const { stdout } = await run('pdftotext', ['-f', `${page}`, '-l', `${page}`, path, '-'], {
      timeout: 20_000,
      maxBuffer: 1e9,
    })
    return stdout
  } catch {
    return ''
  }
}

/** Words of three letters and more that tesseract is sure of on a page drawn by poppler. */
async function seenWords(path: string, page: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'odd-files-'))
  try {
    const picture = join(folder, 'page')
    const at = ['-f', `${page}`, '-l', `${page}`, '-singlefile', '-scale-to', '1800', '-gray', '-png']
    await run('pdftoppm', [...at, path, picture], { timeout: 30_000 })
    const { stdout } = await run('tesseract', [`${picture}.png`, '-', '--psm', '3', 'tsv'], {
      timeout: 60_000,
      maxBuffer: 1e9,
    })
    return stdout
      .split('\n')
      .map((line) => line.split('\t'))
      .filter((fields) => Number(fields[10]) >= SURE && /[\p{L}\p{N}]{3}/u.test(fields[11] ?? ''))
      .map((fields) => fields[11] ?? '')
  } catch {
    return []
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Share of the words, as a bag, that are among the others; joined by letters, so that hyphens and spaces decide nothing. */
function recallOf(words: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1)
  const all = found.join('')
  let common = 0
  for (const word of words) {
    const count = left.get(word) ?? 0
    if (count > 0) left.set(word, count - 1)
    if (count > 0 || (word.length > 3 && all.includes(word))) common += 1
  }
  return words.length === 0 ? 1 : common / words.length
}
