import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostileDocuments } from '../hostile-documents.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { startView } from './support/viewed.ts'
import { seedFrom } from '../../support/seed.ts'
import { openSite } from '../../support/web-site.ts'
import { epub } from '../../../scripts/samples/epub.ts'
import { openDocumentSlides, openDocumentText } from '../../../scripts/samples/open-document.ts'
import { heading, list, paragraph, type Passage, table } from '../../../scripts/samples/passage.ts'
import { report } from '../../../scripts/samples/pdf.ts'
import { slideDeck } from '../../../scripts/samples/slide-deck.ts'
import { wordDocument } from '../../../scripts/samples/word.ts'
import { workbook } from '../../../scripts/samples/workbook.ts'

/** Formats in which a document can carry a text that a browser would run. */
const HOSTILE_FORMATS = [
  'html',
  'md',
  'xhtml',
  'txt',
  'csv',
  'htm',
  'docx',
  'odt',
  'rtf',
  'xlsx',
  'pdf',
  'epub',
  'pptx',
  'ods',
  'odp',
  'xls',
] as const

/** No archive of XML may hold them. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** A file of the format whose title, headings, paragraphs, items, cells and notes are the text. */
async function hostileFile(format: (typeof HOSTILE_FORMATS)[number], text: string): Promise<string | Uint8Array> {
  const clean = text.replaceAll(CONTROLS, '')
  const passages: readonly Passage[] = [
    heading(1, clean),
    paragraph(clean),
    list(clean, 'item'),
    table([clean, 'column'], ['cell', clean]),
  ]
  const slides = [{ title: clean, passages, notes: clean }]
  const rows = [[clean, 'column'], ...clean.split('\n').map((line) => [line, 1])]
  const makers: Partial<Record<typeof format, () => string | Uint8Array | Promise<Uint8Array>>> = {
    docx: () => wordDocument('docx', clean, passages),
    odt: () => openDocumentText(clean, passages),
    odp: () => openDocumentSlides(clean, slides),
    pptx: () => slideDeck('pptx', clean, slides),
    epub: () => epub(clean, [passages]),
    xlsx: () => workbook('xlsx', clean, { Sheet: rows }),
    xls: () => workbook('xls', clean, { Sheet: rows }),
    ods: () => workbook('ods', clean, { Sheet: rows }),
    pdf: () => report(clean.slice(0, 60), [[heading(1, clean.slice(0, 200)), paragraph(clean)]]),
    rtf: () => `{\\rtf1\\ansi{\\info{\\title ${rtf(clean)}}}\\pard ${rtf(clean)}\\par}`,
  }
  return makers[format]?.() ?? text
}

const rtf = (text: string): string =>
  text
    .replaceAll(/[\\{}]/g, '\\$&')
    .replaceAll(/[^ -~]/g, (unit) => (unit === '\n' ? '\\par ' : `\\u${unit.charCodeAt(0)}?`))

/** `0-300`, of those that the seed makes: a busy machine opens them in parts. */
const [FROM = 0, TO = 300] = (process.env['HOSTILE_RANGE'] ?? '0-300').split('-').map(Number)
const SEED = seedFrom('HOSTILE_SEED', 1)

/** Half of them in the six formats that take a text as it is: there a script could come through whole. */
const formatOf = (at: number): (typeof HOSTILE_FORMATS)[number] =>
  HOSTILE_FORMATS[at % 2 === 0 ? (at / 2) % 6 : 6 + (((at - 1) / 2) % (HOSTILE_FORMATS.length - 6))] ?? 'html'

/** Names of documents are hostile too. */
const NAMES = [
  '',
  ' "><img src=x onerror=window.ran=1>',
  " ';window.ran=1;'",
  ' <script>window.ran=1<script>',
  ' ${7*7}',
]

const found = await findChromium()
if (typeof found === 'string') console.warn(`hostile documents are not opened: ${found}`)

test.skipIf(typeof found === 'string')(
  `documents ${FROM} to ${TO} of all formats with scripts (seed ${SEED}) run none and contact no other server`,
  async () => {
    if (typeof found === 'string') throw new Error(found)
    await using resources = new AsyncDisposableStack()
    const { asked, url: host } = resources.use(await openSite(() => ({})))
    const texts = hostileDocuments(SEED, TO, host).slice(FROM)
    const keys = texts.map((_, at) => `${FROM + at}${NAMES[at % NAMES.length]}.${formatOf(at)}`)
    const viewed = resources.use(
      await startView(async (source) => {
        await mkdir(source)
        for (const [at, text] of texts.entries())
          await writeFile(join(source, keys[at] ?? ''), await hostileFile(formatOf(at), text))
      }),
    )
    const browser = await startChromium(found.path)
    resources.defer(() => browser.close())
    const page = await browser.newPage()
    const events: string[] = []
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => events.push('dialog')))
    page.on('popup', () => events.push('popup'))
    page.on('request', (request) => {
      if (!request.url().startsWith(viewed.url)) events.push(request.url())
    })
    let frames = 0
    const documents = keys.map((key) => `document?key=${encodeURIComponent(key)}`)
    for (const path of [...documents, '', 'documents?sort=at', 'failures']) {
      await page.goto(`${viewed.url}${path}`, { waitUntil: 'load' })
      for (const frame of page.frames()) {
        frames += 1
        // The world of the page, in which a script of the document would have left its mark.
        if ((await frame.evaluate('window.ran')) !== undefined) events.push(`${path} ran a script`)
      }
      expect(page.url()).toBe(new URL(viewed.url + path).href)
    }
    expect(events).toEqual([])
    expect(asked).toEqual([])
    // Each has its page, and most a frame or two.
    expect(frames).toBeGreaterThan(1.5 * (TO - FROM))
    const { total } = (await (await fetch(`${viewed.url}api/documents?outcome=done`)).json()) as {
      readonly total: number
    }
    console.log(`${total} of ${keys.length} documents were parsed, ${frames} pages and frames opened`)
    expect(total).toBeGreaterThan(0.8 * keys.length)
  },
  1_500_000,
)
