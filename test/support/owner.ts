import { pathToFileURL } from 'node:url'
import { sourceId } from '#src/document/ids.ts'
import type { SourceOwner } from '#src/document/store-manifest.ts'

/** A folder as the source that owns its records. */
export const ownerOf = (folder: string): SourceOwner => ({
  id: sourceId('0123456789abcdef'),
  address: pathToFileURL(`${folder}/`).href,
})
