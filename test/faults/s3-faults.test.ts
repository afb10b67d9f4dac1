import { afterAll, describe, expect, test } from 'vitest'
import { campaign } from './campaign.ts'
import { openS3Venue } from './s3-venue.ts'

/* A taste of the campaign over buckets; `npm run test:faults -- --s3 --runs 100` is the meal. */

const venue = await openS3Venue()

if (venue.kind === 'unavailable') {
  describe.skip(`the fault campaign over S3: ${venue.reason}`, () => test('breaks no law', () => {}))
} else {
  afterAll(() => venue[Symbol.asyncDispose]())

  test('from a bucket to a bucket, too, nothing is lost, paid twice or torn, though the store resets and refuses', async () => {
    const said: string[] = []
    const result = await campaign({
      runs: 3,
      // Errors of the store throughout and in a storm, and kills of all that runs.
      seed: 813,
      venue,
      sideBySide: 3,
      short: true,
      mutant: null,
      verbose: false,
      untilFound: false,
      say: (line) => said.push(line),
    })
    expect(result, said.join('\n')).toMatchObject({
      runs: 3,
      lost: 0,
      paid_twice_received: 0,
      torn: 0,
      unexplained: 0,
      conservation_errors: 0,
    })
    expect(result.ambiguous).toBeLessThanOrEqual(result.ambiguous_bound)
  }, 600_000)
}
