import { EXTENSIONS, FORMATS, extensionOf, type Extension } from '#src/document/formats.ts'
import { ApiError } from '../api-error.ts'

const essence = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

const ALSO_SENT_AS: Readonly<Record<string, Extension>> = {
  'application/csv': 'csv',
  'text/rtf': 'rtf',
  'application/x-pdf': 'pdf',
  'application/xml+xhtml': 'xhtml',
}

function extensionOfMediaType(contentType: string): Extension | null {
  const mediaType = essence(contentType)
  const alias = ALSO_SENT_AS[mediaType]
  if (alias !== undefined) return alias
  return EXTENSIONS.find((extension) => FORMATS[extension].mediaType === mediaType) ?? null
}

/**
 * What a document claims to be: by its name, else by its media type, else by another name. 400 when that is nothing
 * that we convert.
 */
export function identify(fileName: string, contentType: string, otherName = ''): Extension {
  const extension = extensionOf(fileName) ?? extensionOfMediaType(contentType) ?? extensionOf(otherName)
  if (extension !== null) return extension
  const supported = EXTENSIONS.map((name) => `.${name}`).join(', ')
  throw new ApiError({
    status: 400,
    code: 'UNSUPPORTED_FILE_TYPE',
    message: `Unsupported file type. Supported extensions: ${supported}`,
  })
}
