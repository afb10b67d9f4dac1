import { epub } from '../../scripts/samples/epub.ts'
import { openDocumentSlides, openDocumentText } from '../../scripts/samples/open-document.ts'
import { heading, list, paragraph, type Passage, table } from '../../scripts/samples/passage.ts'
import { report } from '../../scripts/samples/pdf.ts'
import { slideDeck } from '../../scripts/samples/slide-deck.ts'
import { wordDocument } from '../../scripts/samples/word.ts'
import { workbook } from '../../scripts/samples/workbook.ts'

/** Formats in which a document can carry a text that a browser would run. */
export const HOSTILE_FORMATS = [
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
export async function hostileFile(
  format: (typeof HOSTILE_FORMATS)[number],
  text: string,
): Promise<string | Uint8Array> {
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
