import { readFile } from 'node:fs/promises'
import { assertNever } from '#src/document/assert-never.ts'
import { formatOf, type Extension } from '#src/document/formats.ts'
import type { Conversion } from '../conversion.ts'
import { pdfOptionsOf } from '../pdf-options.ts'
import type { ConversionTask } from './conversion-task.ts'

const SPREADSHEETS: ReadonlySet<Extension> = new Set(['xlsx', 'xlsm', 'xlsb', 'xls', 'ods'])

/** Picks the converter of the document's family. Each is loaded when the first document of its family comes. */
export async function convertDocument(task: ConversionTask): Promise<Conversion> {
  const { path, extension, options } = task
  const { family } = formatOf(extension)
  switch (family) {
    case 'pdf': {
      const { convertPdf } = await import('../pdf/convert-pdf.ts')
      const { cacheFolder } = task
      return convertPdf({ path, cacheFolder, onlyMainContent: options.onlyMainContent }, pdfOptionsOf(options))
    }
    case 'html': {
      const { convertHtml } = await import('../html/convert-html.ts')
      const { contentType, baseUrl } = task
      return convertHtml({ bytes: await readFile(path), contentType, baseUrl }, options)
    }
    case 'csv': {
      const { convertCsv } = await import('../office/convert-csv.ts')
      return convertCsv(await readFile(path), task.contentType)
    }
    case 'office': {
      const bytes = await readFile(path)
      if (SPREADSHEETS.has(extension)) {
        const { convertSpreadsheet } = await import('../office/convert-spreadsheet.ts')
        return convertSpreadsheet(bytes, extension, options)
      }
      const { convertOffice } = await import('../office/convert-office.ts')
      return convertOffice(bytes, extension, options)
    }
    default:
      return assertNever(family)
  }
}
