import { test } from 'vitest'
import { seedFrom } from '../support/seed.ts'
import { smokeCampaign } from './smoke-campaign.ts'
import { folderTarget } from './world/environment.ts'

/* A short form of the campaign; `npm run test:campaign -- --runs 300` is the long one. */

const seed = seedFrom('CAMPAIGN_SEED', 1)
const CALM = { seed, target: folderTarget, sideBySide: 3 }

test('the campaign with kills, freezes, stops and changes: nothing lost, nothing paid twice, nothing torn', async () => {
  await smokeCampaign({ ...CALM, runs: 30, scenarios: ['faults'] })
}, 900_000)

test('the campaign over single pages: none is bought twice or lost, and each document is merged from the right pages', async () => {
  await smokeCampaign({ ...CALM, runs: 5, scenarios: ['routed'] })
}, 900_000)

test('capped runs of several processes stay within the stated bound, and records agree with what the service charged', async () => {
  await smokeCampaign({ ...CALM, runs: 6, scenarios: ['budget'] })
}, 600_000)

test('a source that changes between runs with other flags: commands, store, service and source agree on every number', async () => {
  await smokeCampaign({ ...CALM, runs: 2, sideBySide: 2, scenarios: ['numbers'] })
}, 300_000)

test('a folder store after a loss of power at any moment has safe documents whole, and begun ones whole or not at all', async () => {
  await smokeCampaign({ ...CALM, runs: 1, sideBySide: 1, scenarios: ['power'] })
}, 240_000)
