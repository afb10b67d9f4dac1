import type { ConvertErrorCode } from '@firecrawl/anydoc'
import type { Extension } from '@sluice/contract'
import { isLocked } from '../container/locked-office.ts'
import { ConversionError, type ConversionProblem } from '../conversion.ts'

interface Row {
  readonly problem: ConversionProblem
  readonly says: (extension: Extension) => string
}

const ROWS: Readonly<Record<ConvertErrorCode, Row>> = {
  unsupported: { problem: 'wrong_type', says: (extension) => `The file is not a readable ${extension} document.` },
  malformed: {
    problem: 'corrupt',
    says: (extension) => `The ${extension} file is damaged; nothing could be read from it.`,
  },
  missingPart: {
    problem: 'corrupt',
    says: (extension) => `The ${extension} file is incomplete; a part that holds its content is missing.`,
  },
  io: { problem: 'corrupt', says: (extension) => `The ${extension} file could not be read.` },
  encrypted: {
    problem: 'encrypted',
    says: (extension) =>
      `The ${extension} file needs a password: remove it, or add it to SLUICE_ENGINE_PASSWORDS (a JSON list), and send the file again.`,
  },
  resourceLimit: {
    problem: 'resource_limit',
    says: (extension) => `The ${extension} file unpacks to more data than the engine accepts.`,
  },
}

const ZIP = Buffer.from('PK')
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])
const isContainer = (bytes: Buffer): boolean =>
  [ZIP, OLE].some((magic) => bytes.subarray(0, magic.length).equals(magic))

export function encrypted(extension: Extension, cause: unknown): ConversionError {
  return new ConversionError('encrypted', ROWS.encrypted.says(extension), { cause })
}

/** True if the library's parser rejected the file for a cycle of styles or lists. */
export function isCircular(error: unknown): boolean {
  return error instanceof Error && /\bcycle\b/.test(error.message)
}

/** Maps the library's error to `ConversionError`. An error without a known code is a bug and remains unchanged. */
export function asConversionError(error: unknown, extension: Extension, bytes: Buffer): unknown {
  const code = (error as { readonly code?: unknown }).code
  if (typeof code !== 'string' || !Object.hasOwn(ROWS, code)) return error
  if (isLocked(bytes)) return encrypted(extension, error)
  // A container without a format is far more often a truncated Office file than another archive.
  const row = ROWS[code === 'unsupported' && isContainer(bytes) ? 'malformed' : (code as ConvertErrorCode)]
  return new ConversionError(row.problem, row.says(extension), { cause: error })
}
