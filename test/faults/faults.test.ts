import { test } from 'vitest'
import { folderVenue } from './stage.ts'
import { taste } from './taste.ts'

/* A short form of the campaign; `npm run test:faults -- --runs 1000` is the long one. Both draw every class. */

test('whatever is killed, frozen, stopped or changed in between: nothing lost, nothing paid twice, nothing torn', async () => {
  await taste({ runs: 40, seed: 1, venue: folderVenue, sideBySide: 3 })
}, 900_000)
