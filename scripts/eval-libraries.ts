import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import { LiteParse } from '@llamaindex/liteparse'
import { Readability } from '@mozilla/readability'
import { fromParse5 } from 'hast-util-from-parse5'
import { parseHTML } from 'linkedom'
import { parse } from 'parse5'
import { writeMarkdown } from '../packages/engine/src/web/write-markdown.ts'

/** Resolution of scans for tesseract, the same as in the engine. */
const SCAN_DPI = 200

/** Raw output of a program; null if it failed. */
function output(command: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout : null
}

function readable(path: string): string | null {
  const { document } = parseHTML(readFileSync(path, 'utf8'))
  const article = new Readability(document).parse()
  const tree = article === null ? null : fromParse5(parse(article.content ?? ''))
  return tree?.type === 'root' ? writeMarkdown(tree) : null
}

/** Runs all pages through tesseract, without our layout. */
function ocr(path: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  if (output('pdftoppm', ['-r', String(SCAN_DPI), '-png', path, join(folder, 'page')]) === null) return null
  return readdirSync(folder)
    .sort()
    .map((page) => output('tesseract', [join(folder, page), '-', '-l', 'eng']) ?? '')
    .join('\n')
}

const liteparse = new LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true })
const MARKDOWN = 'gfm-raw_html'

interface Library {
  readonly name: string
  readonly formats: RegExp
  readonly read: (path: string) => Promise<string | null> | string | null
}

const LIBRARIES: readonly Library[] = [
  {
    name: 'anydoc',
    formats: /^(?:csv|doc[xm]?|odt|rtf|epub|ppt[xm]?|odp|xls[xmb]?|ods)$/,
    read: (path) => toMarkdownBytes(readFileSync(path), formatFromExtension(extname(path)) ?? undefined),
  },
  {
    name: 'pandoc',
    formats: /^(?:docx|docm|odt|rtf|epub|html?|xhtml|csv)$/,
    read: (path) => {
      const extension = extname(path).slice(1)
      const from = extension === 'docm' ? 'docx' : extension.replace(/^x?html?$/, 'html')
      return output('pandoc', ['-f', from, '-t', MARKDOWN, '--wrap=none', path])
    },
  },
  { name: 'readability', formats: /^x?html?$/, read: readable },
  { name: 'liteparse', formats: /^pdf$/, read: async (path) => (await liteparse.parse(path)).text },
  { name: 'pdftotext', formats: /^pdf$/, read: (path) => output('pdftotext', ['-layout', path, '-']) },
  { name: 'tesseract', formats: /^pdf$/, read: ocr },
]

/** Reads every supported document with each library into a separate folder; returns arguments for the scorer. */
export async function readByLibraries(
  docs: string,
  work: string,
  only: RegExp,
  names: readonly string[],
): Promise<string[]> {
  const folders: string[] = []
  for (const { name, formats, read } of LIBRARIES.filter((library) => names.includes(library.name))) {
    const folder = join(work, name)
    mkdirSync(folder)
    for (const file of readdirSync(docs)) {
      const extension = extname(file).slice(1).toLowerCase()
      if (!formats.test(extension) || !only.test(extension)) continue
      try {
        const markdown = await read(join(docs, file))
        if (markdown !== null) writeFileSync(join(folder, `${basename(file)}.md`), markdown)
      } catch {
        // A document that a library refuses counts as an empty result.
      }
    }
    folders.push(`${name}=${folder}`)
  }
  return folders
}

export const LIBRARY_NAMES: readonly string[] = LIBRARIES.map(({ name }) => name)

/** True if a library supports a format: a row shows only these. */
export const takes = (library: string, format: string): boolean =>
  LIBRARIES.some(({ name, formats }) => name === library && formats.test(format))
