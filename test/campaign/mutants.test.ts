import { expect, test } from 'vitest'
import { campaign, isBroken } from './campaign.ts'
import type { Mutant } from './mutants.ts'
import { PROCESS_FAULTS } from './classes/processes.ts'
import { folderTarget } from './world/environment.ts'

/* A test of the test: mistakes that others made, planted into our program, are found by the campaign. */

/** For the search; what it takes to bundle the program and to let go of everything comes on top. */
const PATIENCE_MS = 240_000

const FAULTS = Object.keys(PROCESS_FAULTS) as (keyof typeof PROCESS_FAULTS)[]

/** Seeds that find it within a few runs on most machines; which run it is depends on the moment a fault is injected. */
const FIRST_SEEDS: readonly (readonly [Mutant, number])[] = [
  ['receipt-last', 5],
  ['record-first', 2],
  ['ledger-first', 1],
  ['believes-model', 500],
]

test.each(FIRST_SEEDS)(
  'the fault campaign finds the mutant %s within 100 runs',
  async (mutant, seed) => {
    const said: string[] = []
    const result = await campaign({
      runs: 100,
      seed,
      target: folderTarget,
      sideBySide: 2,
      short: true,
      scenarios: ['faults'],
      faults: FAULTS,
      mutant,
      verbose: false,
      untilFound: true,
      say: (line) => said.push(line),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    expect(isBroken(result), said.join('\n')).toBe(true)
  },
  300_000,
)
