import { test } from 'vitest'
import { folderTarget } from './environment.ts'
import { smokeCampaign } from './smoke-campaign.ts'

/* A short form of the campaign; `npm run test:faults -- --runs 1000` is the long one, with `--routed` that of routing. Both draw every class. */

test('the fault campaign with kills, freezes, stops and changes: nothing lost, nothing paid twice, nothing torn', async () => {
  await smokeCampaign({ runs: 30, seed: 1, target: folderTarget, sideBySide: 3 })
}, 900_000)

test('the fault campaign over single pages: none is bought twice or lost, and each document is merged from the right pages', async () => {
  await smokeCampaign({ runs: 5, seed: 1, target: folderTarget, sideBySide: 3, routed: true })
}, 900_000)
