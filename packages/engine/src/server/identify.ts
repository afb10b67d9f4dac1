import { EXTENSIONS, extensionOf, extensionOfMediaType, type Extension } from '@sluice/contract'
import { ApiError } from '../api-error.ts'

/**
 * Returns the declared type of a document: by its name, else by its media type, else by another name. Throws 400 for an
 * unsupported one.
 */
export function identify(fileName: string, contentType: string, otherName = ''): Extension {
  const extension = extensionOf(fileName) ?? extensionOfMediaType(contentType) ?? extensionOf(otherName)
  if (extension !== null) return extension
  const supported = EXTENSIONS.map((name) => `.${name}`).join(', ')
  throw new ApiError({
    status: 400,
    code: 'UNSUPPORTED_FILE_TYPE',
    message: `Unsupported upload type. Supported file extensions: ${supported}`,
  })
}
