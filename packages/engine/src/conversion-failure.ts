import { ApiError } from './api-error.ts'
import type { ConversionProblem } from './conversion.ts'

interface ErrorRow {
  readonly status: number
  readonly code: string
}

/**
 * Status and code for each reason why a document cannot be converted. Codes that the hosted service uses too are spelled
 * its way (docs/reference/contract.md, "Errors"). All but `ocr_required` are 400: the file itself is at fault
 * and sending it again cannot help, which a 500 would invite.
 */
const ERROR_ROWS: Readonly<Record<ConversionProblem, ErrorRow>> = {
  unsupported: { status: 400, code: 'UNSUPPORTED_FILE_TYPE' },
  wrong_type: { status: 400, code: 'DOCUMENT_WRONG_TYPE' },
  corrupt: { status: 400, code: 'DOCUMENT_CORRUPT' },
  encrypted: { status: 400, code: 'DOCUMENT_ENCRYPTED' },
  resource_limit: { status: 400, code: 'DOCUMENT_RESOURCE_LIMIT' },
  crash: { status: 400, code: 'DOCUMENT_CRASHES_CONVERTER' },
  ocr_required: { status: 500, code: 'SCRAPE_PDF_OCR_REQUIRED' },
}

export function conversionFailure(problem: ConversionProblem, message: string): ApiError {
  return new ApiError({ ...ERROR_ROWS[problem], message })
}
