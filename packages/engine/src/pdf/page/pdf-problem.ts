import { open } from 'node:fs/promises'
import { ConversionError } from '../../conversion.ts'

/**
 * Search window for the header, in bytes. Readers accept it anywhere in the first kilobyte (PDF 1.7, annex H, note 13).
 */
const HEADER_WINDOW_BYTES = 1024

const ENCRYPTED =
  'The PDF needs a password: remove it, or add it to SLUICE_ENGINE_PASSWORDS (a JSON list), and send the file again.'

/** Throws `wrong_type` for a file without a PDF header, `corrupt` for an empty one. */
export async function requirePdf(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_WINDOW_BYTES), 0, HEADER_WINDOW_BYTES, 0)
    if (bytesRead === 0) throw new ConversionError('corrupt', 'The file is empty.')
    if (!buffer.subarray(0, bytesRead).includes('%PDF-')) {
      throw new ConversionError('wrong_type', 'The file is not a PDF: it has no PDF header.')
    }
  } finally {
    await file.close()
  }
}

/** Runs `work` and translates errors of the PDF library into `ConversionError`. */
export async function withPdfProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asPdfProblem(error)
  }
}

/** The library throws plain errors whose text starts with `PDF error:`. The texts are those of version 2.14.7. */
function asPdfProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ConversionError) return error
  if (/password|encrypt/i.test(error.message)) {
    return new ConversionError('encrypted', ENCRYPTED, { cause: error })
  }
  if (error.message.startsWith('PDF error: file not found')) return error
  if (error.message.startsWith('PDF error:')) {
    return new ConversionError(
      'corrupt',
      'The PDF is damaged: its structure cannot be read. Repair it, or fetch it again.',
      { cause: error },
    )
  }
  return error
}
