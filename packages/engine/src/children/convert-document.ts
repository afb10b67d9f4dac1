import { open, readFile, stat } from 'node:fs/promises'
import { assertNever } from '../assert-never.ts'
import { formatOf, type Extension, SNIFF_BYTES, contradiction, signatureOf } from '@sluice/contract'
import { ConversionError, type Conversion } from '../conversion.ts'
import { isLocked } from '../container/locked-office.ts'
import { webPageIn } from '../office/web-page-in.ts'
import { pdfOptionsOf } from '../pdf-options.ts'
import type { ConversionTask } from './conversion-task.ts'

/** Threshold in bytes. Larger tables and pages convert as a stream, because a tree takes thirty times their size. */
const LARGE_BYTES = 6 * 1024 ** 2

/** Maximum time of one strip of a page after the last check of the budget, in milliseconds. */
const LAST_STRIP_MS = 4_000

const SPREADSHEETS: ReadonlySet<Extension> = new Set(['xlsx', 'xlsm', 'xlsb', 'xls', 'ods'])

/**
 * Returns the CPU budget for OCR of all pages. It is below the request's timeout, so that the answer contains the
 * finished pages.
 */
function ocrBudgetMs(timeoutMs: number): number {
  return Math.max(0.3 * timeoutMs, 0.75 * timeoutMs - LAST_STRIP_MS)
}

/** Returns the complete document. */
async function bytesOf({ bytes, path }: ConversionTask): Promise<Buffer> {
  return bytes ?? readFile(path)
}

/** True for a document in a file that converts as a stream. */
async function isLarge({ bytes, path }: ConversionTask): Promise<boolean> {
  return (bytes ?? null) === null && (await stat(path)).size > LARGE_BYTES
}

async function firstBytes({ bytes, path }: ConversionTask): Promise<Buffer> {
  if (bytes !== undefined && bytes !== null) return bytes.subarray(0, SNIFF_BYTES)
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES))
  return buffer.subarray(0, bytesRead)
}

/** Rejects a file whose content contradicts its extension, and names the real type. */
async function refuseContradiction(task: ConversionTask): Promise<void> {
  const { extension } = task
  const start = await firstBytes(task)
  if (start.length === 0) throw new ConversionError('corrupt', 'The file is empty.')
  const found = contradiction(extension, signatureOf(start))
  if (found !== null) throw new ConversionError('wrong_type', `The file is named .${extension} but is ${found}.`)
}

/** Decrypts an Office file with one of the passwords. Returns any other file unchanged. */
async function unlocked(bytes: Buffer, passwords: readonly string[]): Promise<Buffer> {
  if (!isLocked(bytes)) return bytes
  const { unlockOffice } = await import('../encryption/unlock-office.ts')
  return unlockOffice(bytes, passwords)
}

/**
 * Threshold in bytes. A larger page without text is unusual: an unclosed comment or tag, or a page that scripts write.
 */
const EMPTY_PAGE_BYTES = 4_096

/** Adds a warning to a page without any text. */
async function withEmptyWarning(page: Conversion, task: ConversionTask): Promise<Conversion> {
  if (page.markdown.trim() !== '') return page
  const bytes = task.bytes?.length ?? (await stat(task.path)).size
  if (bytes < EMPTY_PAGE_BYTES) return page
  const empty = `No text was found in ${Math.round(bytes / 1024)} KB of markup.`
  return { ...page, warning: page.warning === null ? empty : `${page.warning} ${empty}` }
}

/** Converts a PDF, or the PDF of an image. */
async function convertPages(path: string, task: ConversionTask): Promise<Conversion> {
  const { convertPdf } = await import('../pdf/convert-pdf.ts')
  const { cacheFolder, ocr, passwords, options } = task
  return convertPdf(
    {
      path,
      cacheFolder,
      ...(ocr === undefined ? {} : { ocr }),
      passwords,
      onlyMainContent: options.onlyMainContent,
      ocrBudgetMs: ocrBudgetMs(options.timeout),
    },
    pdfOptionsOf(options),
  )
}

/** Selects the converter of the document's family, and loads it on first use. */
export async function convertDocument(task: ConversionTask): Promise<Conversion> {
  const { path, extension, options, textKind = null } = task
  if (textKind !== null) {
    const { convertText } = await import('../text/convert-text.ts')
    return convertText({ ...task, bytes: await bytesOf(task), kind: textKind }, options)
  }
  await refuseContradiction(task)
  const { family } = formatOf(extension)
  switch (family) {
    case 'pdf':
      return convertPages(path, task)
    case 'image': {
      const { wrapImage } = await import('../images/wrap-image.ts')
      const pdfPath = `${path}.pdf`
      const { warning } = await wrapImage(path, pdfPath)
      const conversion = await convertPages(pdfPath, task)
      const warnings = [warning, conversion.warning].filter((sentence) => sentence !== null)
      return { ...conversion, warning: warnings.length === 0 ? null : warnings.join(' ') }
    }
    case 'html': {
      const { contentType, baseUrl } = task
      if (await isLarge(task)) {
        const { convertLargeHtml } = await import('../web/convert-large-html.ts')
        return withEmptyWarning(await convertLargeHtml({ path, contentType, baseUrl }, options), task)
      }
      const { convertHtml } = await import('../web/convert-html.ts')
      return withEmptyWarning(await convertHtml({ bytes: await bytesOf(task), contentType, baseUrl }, options), task)
    }
    case 'csv': {
      if (await isLarge(task)) {
        const { convertLargeCsv } = await import('../sheets/convert-large-csv.ts')
        return convertLargeCsv(path, task.contentType)
      }
      const { convertCsv } = await import('../sheets/convert-csv.ts')
      return convertCsv(await bytesOf(task), task.contentType)
    }
    case 'office': {
      const officeOptions = { ...options, anchors: task.extensions, hiddenSheets: task.hiddenSheets ?? false }
      const bytes = await unlocked(await bytesOf(task), task.passwords)
      if (SPREADSHEETS.has(extension)) {
        const { convertSpreadsheet } = await import('../sheets/convert-spreadsheet.ts')
        return convertSpreadsheet(bytes, extension, officeOptions)
      }
      const page = webPageIn(bytes)
      if (page !== null) {
        const { convertHtml } = await import('../web/convert-html.ts')
        return convertHtml({ ...page, baseUrl: task.baseUrl }, options)
      }
      const { convertOffice } = await import('../office/convert-office.ts')
      return convertOffice(bytes, extension, officeOptions)
    }
    default:
      return assertNever(family)
  }
}
