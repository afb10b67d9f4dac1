import type { SourceKey, Version } from '#src/document/ids.ts'
import type { Failure } from '#src/document/failure.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'

/** A document as a listing or a job names it. */
interface Listed {
  readonly key: SourceKey
  readonly version: Version
}

/** Opens a document to be worked on. One that the service fetches by itself is not asked for here. */
export async function openListed(
  source: Source,
  { key, version }: Listed,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  const address = source.addressOf?.(key)
  return address === undefined ? source.open(key, signal) : standIn(address, version)
}

/**
 * Stands for a document whose bytes only the service sees. Its address and the version that was listed are all its
 * content here, so that everything named by content is named by them: while neither changes, an answer that was bought
 * is found again (Law 2), and a new version is a new purchase.
 */
function standIn(address: string, version: Version): OpenedDocument {
  const content = Buffer.from(`sluice: document at\0${address}\0${version}`)
  return {
    kind: 'opened',
    version,
    bytes: content.length,
    address,
    async *read() {
      yield content
    },
    unchanged: async () => true,
    [Symbol.asyncDispose]: async () => undefined,
  }
}
