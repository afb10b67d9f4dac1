import { afterAll, describe, test } from 'vitest'
import { openS3Venue } from './s3-venue.ts'
import { taste } from './taste.ts'

/* A taste of the campaign over buckets; `npm run test:faults -- --s3 --runs 100` is the meal. */

const venue = await openS3Venue()

if (venue.kind === 'unavailable') {
  describe.skip(`the fault campaign over S3: ${venue.reason}`, () => test('breaks no law', () => {}))
} else {
  afterAll(() => venue[Symbol.asyncDispose]())

  test('from a bucket to a bucket, too, nothing is lost, paid twice or torn, though the store resets and refuses', async () => {
    // Errors of the store throughout and in a storm, and kills of all that runs.
    await taste({ runs: 3, seed: 813, venue, sideBySide: 3 })
  }, 600_000)
}
