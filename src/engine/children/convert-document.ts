import { readFile } from 'node:fs/promises'
import type { ParseOptions } from '#src/contract/options.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { formatOf } from '#src/document/formats.ts'
import { ConversionError, type Conversion } from '../conversion.ts'
import type { ConversionTask } from './conversion-task.ts'

/** A child is ended with SIGKILL; nobody asks it to stop. */
const NEVER = new AbortController().signal

interface PdfModule {
  readonly convertPdf: (
    input: { readonly path: string },
    options: ParseOptions,
    signal: AbortSignal,
  ) => Promise<Conversion>
}

interface HtmlModule {
  readonly convertHtml: (
    input: { readonly bytes: Buffer; readonly contentType: string | null; readonly baseUrl: string | null },
    options: ParseOptions,
  ) => Promise<Conversion>
}

// The two are built beside this file; until they are there, their documents are refused.
const missing = (): never => {
  throw new ConversionError('unsupported', 'This build of the engine has no converter for this type.')
}
const PDF_MODULE: string = '../pdf/convert-pdf.ts'
const HTML_MODULE: string = '../html/convert-html.ts'
const loadPdf = (): Promise<PdfModule> => import(PDF_MODULE).catch(missing)
const loadHtml = (): Promise<HtmlModule> => import(HTML_MODULE).catch(missing)

/** Picks the converter of the document's family. Each is loaded when the first document of its family comes. */
export async function convertDocument(task: ConversionTask): Promise<Conversion> {
  const { path, extension, options } = task
  const { family } = formatOf(extension)
  switch (family) {
    case 'pdf': {
      const { convertPdf } = await loadPdf()
      return convertPdf({ path }, options, NEVER)
    }
    case 'html': {
      const { convertHtml } = await loadHtml()
      const { contentType, baseUrl } = task
      return convertHtml({ bytes: await readFile(path), contentType, baseUrl }, options)
    }
    case 'csv': {
      const { convertCsv } = await import('../office/convert-csv.ts')
      return convertCsv(await readFile(path), task.contentType)
    }
    case 'office': {
      const { convertOffice } = await import('../office/convert-office.ts')
      return convertOffice(await readFile(path), extension)
    }
    default:
      return assertNever(family)
  }
}
