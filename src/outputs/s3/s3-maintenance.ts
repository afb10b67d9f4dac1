import type { Maintenance } from '#src/ports/output-store.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import type { StoreObjects } from './packs/store-objects.ts'
import type { S3DeadLetters } from './s3-dead-letters.ts'
import type { S3Documents } from './s3-documents.ts'
import { PROBE } from './s3-manifest.ts'
import { s3Orphans } from './s3-orphans.ts'

interface S3MaintenanceParts {
  readonly url: string
  readonly objects: StoreObjects
  readonly documents: S3Documents
  readonly deadLetters: S3DeadLetters
}

export function s3Maintenance({ url, objects, documents, deadLetters }: S3MaintenanceParts): Maintenance {
  return {
    async probe() {
      await explainedS3(`cannot write to the store in ${url}`, () => objects.put(PROBE, Buffer.from('probe\n')))
      try {
        await objects.remove([PROBE])
        return { warning: null }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        return {
          warning: `the store in ${url} cannot delete objects (${why}): outdated outputs stay. Grant s3:DeleteObject`,
        }
      }
    },
    /** A bucket has no size limit; one that refuses writes fails the first write. */
    async checkSpace() {},
    /**
     * A bucket shows no half-done commit. A crash may leave the dead letter of a document committed right after. It has
     * the same version as the record, and is older.
     */
    async recover() {
      for await (const letter of deadLetters.list(new AbortController().signal)) {
        const record = await documents.read(letter.key)
        const outdated = record?.version === letter.version && record.finishedAt >= letter.lastAt
        if (outdated) await deadLetters.remove(letter.key)
      }
    },
    orphans: (signal) => s3Orphans(objects, documents.explained, signal),
    removeOrphan: ({ path }) => explainedS3(`cannot remove ${path} from ${url}`, () => objects.remove([path])),
  }
}
