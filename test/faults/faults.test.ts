import { test } from 'vitest'
import { FAULTS, type FaultKind } from './plan.ts'
import { folderVenue } from './stage.ts'
import { taste } from './taste.ts'

/* A short form of the campaign; `npm run test:faults -- --runs 1000` is the long one, and draws every class. */

/** Only the long campaign draws these: the fault that they showed is mended, and they have not had enough runs since. */
const OPEN: readonly FaultKind[] = ['store-hangs']

test(`whatever is killed, frozen, stopped or changed in between: nothing lost, nothing paid twice, nothing torn (not drawn here: ${OPEN.join(', ')})`, async () => {
  const faults = FAULTS.filter((fault) => !OPEN.includes(fault))
  await taste({ runs: 50, seed: 1, venue: folderVenue, sideBySide: 3, faults })
}, 900_000)
