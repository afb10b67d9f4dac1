import type { Extension } from '#src/document/formats.ts'
import type { Conversion } from '../conversion.ts'
import { renderBlocks } from './block-markdown.ts'
import { asConversionError } from './office-errors.ts'
import { readOfficeDocument, type OfficeDocument } from './office-document.ts'
import { packageMetadata } from './package-metadata.ts'
import { Rendering } from './rendering.ts'
import { markRtfHeadings } from './rtf-headings.ts'

export interface OfficeOptions {
  readonly removeBase64Images: boolean
}

async function read(bytes: Buffer, extension: Extension): Promise<OfficeDocument> {
  try {
    return await readOfficeDocument(extension === 'rtf' ? markRtfHeadings(bytes) : bytes)
  } catch (error) {
    throw asConversionError(error, extension, bytes)
  }
}

function renderNotes(document: OfficeDocument, rendering: Rendering): string[] {
  return document.notes.map(
    ({ id, blocks }) =>
      `[^${rendering.noteNumber(id)}]: ${renderBlocks(blocks, rendering).replace(/\n(?!\n|$)/g, '\n    ')}`,
  )
}

/** Text documents, presentations and books, from the library's document model. */
export async function convertOffice(bytes: Buffer, extension: Extension, options: OfficeOptions): Promise<Conversion> {
  const document = await read(bytes, extension)
  const rendering = new Rendering(document, options.removeBase64Images)
  const markdown = [renderBlocks(document.blocks, rendering), ...renderNotes(document, rendering)]
    .filter((part) => part !== '')
    .join('\n\n')
  return {
    markdown: `${markdown}\n`,
    html: null,
    pages: null,
    blocks: null,
    links: [...rendering.links],
    images: [...rendering.images],
    metadata: packageMetadata(bytes),
    warning: null,
  }
}
