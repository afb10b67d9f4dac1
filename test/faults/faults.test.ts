import { test } from 'vitest'
import { folderTarget } from './environment.ts'
import { smokeCampaign } from './smoke-campaign.ts'

/* A short form of the campaign; `npm run test:faults -- --runs 1000` is the long one. Both draw every class. */

test('whatever is killed, frozen, stopped or changed in between: nothing lost, nothing paid twice, nothing torn', async () => {
  await smokeCampaign({ runs: 40, seed: 1, target: folderTarget, sideBySide: 3 })
}, 900_000)
