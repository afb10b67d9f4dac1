import type { Failure } from '#src/document/failure.ts'
import { EXTENSIONS, extensionOf, MAX_FILE_BYTES } from '#src/document/formats.ts'
import { contradiction, signatureOf } from '#src/document/sniff.ts'

/** What can be told from a listing alone: a document that no service would take is not even opened. */
export function refuseByListing(key: string, bytes: number): Failure | null {
  if (extensionOf(key) === null) {
    return {
      code: 'unsupported_type',
      stage: 'scan',
      message: `its name does not end in a supported extension (${EXTENSIONS.map((name) => `.${name}`).join(' ')})`,
    }
  }
  if (bytes === 0) return { code: 'empty', stage: 'scan', message: 'the file is empty' }
  if (bytes > MAX_FILE_BYTES) {
    const megabytes = (bytes / 1024 / 1024).toFixed(1)
    return { code: 'too_large', stage: 'scan', message: `${megabytes} MB is over the limit of 50 MB; split the file` }
  }
  return null
}

/** What the first bytes tell: a file that clearly is something else than its extension says is not paid for. */
export function refuseByContent(key: string, head: Uint8Array): Failure | null {
  const extension = extensionOf(key)
  const really = extension === null ? null : contradiction(extension, signatureOf(head))
  if (really === null) return null
  return { code: 'wrong_type', stage: 'read', message: `it is named .${extension} but holds ${really}; rename it` }
}
