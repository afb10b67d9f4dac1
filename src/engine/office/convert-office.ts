import type { Extension } from '#src/document/formats.ts'
import { beforeTitles, liftMarks } from '../anchors/marks.ts'
import type { Conversion } from '../conversion.ts'
import { renderBlocks } from './block-markdown.ts'
import { unreadChapters } from './book-chapters.ts'
import { asConversionError, isCircular } from './office-errors.ts'
import { readOfficeDocument, type OfficeDocument } from './office-document.ts'
import { OoxmlPackage } from './ooxml/ooxml-package.ts'
import { packageMetadata } from './package-metadata.ts'
import { withoutRepeatedHeadings } from './repeated-headings.ts'
import { withChapterMarks } from './chapter-marks.ts'
import { pptSlideTexts, slideMarks } from './ppt-slides.ts'
import { pptTablesOf, withPptTables } from './ppt-tables.ts'
import { withoutCircularStyles } from './circular-styles.ts'
import { embeddedFiles } from './embedded-files.ts'
import { leftOutWarning } from './left-out.ts'
import { Rendering } from './rendering.ts'
import { markRtfHeadings } from './rtf/rtf-headings.ts'
import { supplementOf } from './supplement-of.ts'
import { supplemented } from './supplemented.ts'
import { unreadPictures } from './unread-pictures.ts'

export interface OfficeOptions {
  /** Leave running headers and footers out of the Markdown (contract). */
  readonly onlyMainContent: boolean
  readonly removeBase64Images: boolean
  /** Whether the conversion says where slides, sheets and chapters begin; the Markdown is the same either way. */
  readonly anchors?: boolean
  /** Reads hidden sheets too; default false: then they are named. */
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

/** Text documents, presentations and books: the library's document model, and what it leaves out. */
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
