import { ApiError } from './api-error.ts'
import type { ConversionProblem } from './conversion.ts'

interface ErrorRow {
  readonly status: number
  readonly code: string
}

/**
 * Maps each conversion problem to status and code. Codes of the hosted service keep its spelling
 * (docs/reference/contract.md, "Errors"). All but `ocr_required` are 400: the file is at fault, and a retry cannot
 * help. A 500 would invite a retry.
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
