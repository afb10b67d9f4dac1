import { MANIFEST_FILE } from '#src/document/store-manifest.ts'
import { RECORD_SCHEMA } from '#src/document/record.ts'

/*
 * Releases before `store.json` know no format of a store, but they read all of `failures/` when they open one, and end
 * with "written by a later release: update Sluice" at a schema that they do not know, before they change anything. So a
 * bucket that was adopted from such a release has an object of that kind, first in the listing. It is no dead letter.
 */

export const BAR = 'failures/-update-sluice'

export const barBytes = (): Buffer => Buffer.from(`${JSON.stringify({ schema: RECORD_SCHEMA, key: MANIFEST_FILE })}\n`)
