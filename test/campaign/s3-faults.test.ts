import { afterAll, describe, test } from 'vitest'
import { openS3Target } from './world/s3-target.ts'
import { smokeCampaign } from './smoke-campaign.ts'

/* A smokeCampaign of the campaign over buckets; `npm run test:campaign -- --s3 --runs 100` is the meal. */

const target = await openS3Target()

if (target.kind === 'unavailable') {
  describe.skip(`the fault campaign over S3: ${target.reason}`, () => test('breaks no law', () => {}))
} else {
  afterAll(() => target[Symbol.asyncDispose]())

  test('the fault campaign from bucket to bucket loses nothing and pays once, though the store resets and refuses', async () => {
    // Errors of the store throughout and in a storm, and kills of all that runs.
    await smokeCampaign({ runs: 3, seed: 813, target, sideBySide: 3, scenarios: ['faults'] })
  }, 600_000)
}
