import { expect, test } from 'vitest'
import { campaign, type CampaignOptions } from './campaign.ts'
import { folderVenue } from './stage.ts'

/* A taste of the campaign; `npm run test:faults -- --runs 1000` is the meal. */

const RUNS = 50

const SHORT: CampaignOptions = {
  runs: RUNS,
  seed: 1,
  venue: folderVenue,
  sideBySide: 4,
  short: true,
  mutant: null,
  verbose: false,
  untilFound: false,
  say: () => undefined,
}

test('whatever is killed, frozen, stopped or changed in between: nothing lost, nothing paid twice, nothing torn', async () => {
  const said: string[] = []
  const result = await campaign({ ...SHORT, say: (line) => said.push(line) })
  expect(result, said.join('\n')).toMatchObject({
    runs: RUNS,
    lost: 0,
    paid_twice_received: 0,
    torn: 0,
    unexplained: 0,
    conservation_errors: 0,
  })
  expect(result.ambiguous).toBeLessThanOrEqual(result.ambiguous_bound)
}, 600_000)
