import { test } from 'vitest'
import { seedFrom } from '../support/seed.ts'
import { smokeCampaign } from './smoke-campaign.ts'
import { folderTarget } from './world/environment.ts'

/* A short form of the campaign; `npm run test:campaign -- --runs 300` is the long one. */

const seed = seedFrom('CAMPAIGN_SEED', 1)
const CALM = { seed, target: folderTarget, sideBySide: 3 }

test('the fault campaign with kills, freezes, stops and changes loses nothing, pays once and tears no commit', async () => {
  await smokeCampaign({ ...CALM, runs: 30, scenarios: ['faults'] })
}, 900_000)

test('the fault campaign over single pages buys each once, loses none and merges each document from its pages', async () => {
  await smokeCampaign({ ...CALM, runs: 5, scenarios: ['routed'] })
}, 900_000)

test('capped runs of several processes stay within the stated bound and record the charges of the service', async () => {
  await smokeCampaign({ ...CALM, runs: 6, scenarios: ['budget'] })
}, 600_000)

test('commands, store, service and source agree on every number after runs with changing files and flags', async () => {
  await smokeCampaign({ ...CALM, runs: 2, sideBySide: 2, scenarios: ['numbers'] })
}, 300_000)

test('a folder store after a power loss holds committed documents intact, and unfinished ones intact or not at all', async () => {
  await smokeCampaign({ ...CALM, runs: 1, sideBySide: 1, scenarios: ['power'] })
}, 240_000)
