import type { Extension } from '@sluice/contract'
import { beforeTitles, liftMarks, markText } from '../anchors/marks.ts'
import type { Conversion } from '../conversion.ts'
import { renderBlocks } from './block-markdown.ts'
import { unreadChapters } from '../books/book-chapters.ts'
import { asConversionError, isCircular } from './office-errors.ts'
import { type Block, type OfficeDocument, readOfficeDocument } from './office-document.ts'
import { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { packageMetadata } from './package-metadata.ts'
import { withoutRepeatedHeadings } from './repeated-headings.ts'
import { pptSlideTexts, slideMarks } from '../slides/ppt-slides.ts'
import { pptTablesOf, withPptTables } from '../slides/ppt-tables.ts'
import { withoutCircularStyles } from '../word/circular-styles.ts'
import { embeddedFiles } from './embedded-files.ts'
import { leftOutWarning } from '../markup/left-out.ts'
import { Rendering } from './rendering.ts'
import { supplementOf } from './supplement-of.ts'
import { supplemented } from './supplemented.ts'
import { unreadPictures } from './unread-pictures.ts'

export interface OfficeOptions {
  /** Leaves running headers and footers out of the Markdown (contract). */
  readonly onlyMainContent: boolean
  readonly removeBase64Images: boolean
  /**
   * True if the conversion reports the offsets of slides, sheets and chapters. The Markdown is the same in both cases.
   */
  readonly anchors?: boolean
  /** Reads hidden sheets too. Default: false, and a warning names them. */
  readonly hiddenSheets?: boolean
}

async function read(bytes: Buffer, extension: Extension, isMended = false): Promise<OfficeDocument> {
  try {
    return await readOfficeDocument(extension === 'rtf' ? markRtfHeadings(bytes) : bytes)
  } catch (error) {
    const mended = isCircular(error) && !isMended ? withoutCircularStyles(bytes) : null
    if (mended === null) throw asConversionError(error, extension, bytes)
    return read(mended, extension, true)
  }
}

function renderNotes(document: OfficeDocument, rendering: Rendering): string[] {
  return document.notes.map(
    ({ id, blocks }) =>
      `[^${rendering.noteNumber(id)}]: ${renderBlocks(blocks, rendering).replace(/\n(?!\n|$)/g, '\n    ')}`,
  )
}

/** Converts text documents, presentations and books: the library's document model plus its omissions. */
export async function convertOffice(bytes: Buffer, extension: Extension, options: OfficeOptions): Promise<Conversion> {
  const supplement = supplementOf(bytes, extension, options)
  const document = await read(supplement?.bytes ?? bytes, extension)
  const rendering = new Rendering(document, options.removeBase64Images)
  const chapters =
    options.anchors === true && extension === 'epub' ? withChapterMarks(document.blocks) : document.blocks
  const blocks = extension === 'epub' ? withoutRepeatedHeadings(chapters) : chapters
  const body = withPptTables(renderBlocks(blocks, rendering), pptTablesOf(bytes))
  const written = [body, ...renderNotes(document, rendering)].filter((part) => part !== '').join('\n\n')
  const {
    markdown: marked,
    metadata,
    leftOut,
  } = supplement === null
    ? { markdown: written, metadata: {}, leftOut: [] }
    : supplemented(written, supplement, options.onlyMainContent)
  const { markdown, marks: found } = liftMarks(marked, (number) =>
    extension === 'epub' ? { chapter: number, title: null } : { slide: number },
  )
  const marks = extension === 'odp' ? beforeTitles(markdown, found) : found
  const slides = options.anchors === true && marks.length === 0 ? slideMarks(markdown, pptSlideTexts(bytes)) : marks
  return {
    markdown: `${markdown}\n`,
    html: null,
    pages: null,
    blocks: null,
    links: [...rendering.links],
    images: [...rendering.images],
    metadata: { ...packageMetadata(bytes), ...metadata },
    warning: leftOutWarning([
      ...leftOut,
      ...(extension === 'epub' ? unreadChapters(new OoxmlPackage(bytes), markdown) : []),
      ...embeddedFiles(bytes),
      ...unreadPictures(bytes, markdown),
    ]),
    ...(slides.length === 0 ? {} : { marks: slides }),
  }
}

/** Detects the first paragraph of an e-book file, an empty anchor with the file's name. The library inserts it. */
function isStartOfFile({ kind, content = [] }: Block): boolean {
  const [first, ...others] = content
  return kind === 'paragraph' && others.length === 0 && first?.anchor !== undefined && !first.anchor.includes('#')
}

/** Inserts a mark at the start of each file of an e-book, numbered in reading order. */
function withChapterMarks(blocks: readonly Block[]): readonly Block[] {
  let number = 0
  return blocks.map((block) => {
    if (!isStartOfFile(block)) return block
    number += 1
    return { kind: 'paragraph', content: [{ kind: 'text', text: markText(number) }] }
  })
}

/** Matches a style with the name of a heading: `{\s1 … Heading 1;}`, `{\s36 … Title;}`. */
const HEADING_STYLE = /\{(\\s\d+(?=\\|\s)[^{};]*?)\s(heading|title)\s*(\d?)(;\})/gi

/**
 * Adds the outline level to heading styles that lack it, as some office suites write them. The library's parser uses
 * only the level. `Title` counts as level 1.
 */
function markRtfHeadings(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const start = text.indexOf(String.raw`{\stylesheet`)
  if (start < 0) return bytes
  // The style sheet of a document is always shorter than this.
  const end = Math.min(text.length, start + 200_000)
  const sheet = text
    .slice(start, end)
    .replace(HEADING_STYLE, (whole, style: string, name: string, level: string, close: string) => {
      if (style.includes(String.raw`\outlinelevel`)) return whole
      const outline = Math.max(1, Number(level === '' ? 1 : level)) - 1
      return `{${style}\\outlinelevel${outline} ${name} ${level}${close}`
    })
  return Buffer.from(text.slice(0, start) + sheet + text.slice(end), 'latin1')
}
