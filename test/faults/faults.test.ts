import { expect, test } from 'vitest'
import { campaign } from './campaign.ts'

/* A taste of the campaign; `npm run test:faults -- --runs 1000` is the meal. */

test('whatever is killed, frozen, stopped or changed in between: nothing lost, nothing paid twice, nothing torn', async () => {
  const said: string[] = []
  const result = await campaign({
    runs: 6,
    seed: 1,
    sideBySide: 3,
    short: true,
    mutant: null,
    verbose: false,
    untilFound: false,
    say: (line) => said.push(line),
  })
  expect(result, said.join('\n')).toMatchObject({
    runs: 6,
    lost: 0,
    paid_twice_received: 0,
    torn: 0,
    unexplained: 0,
    conservation_errors: 0,
  })
  expect(result.ambiguous).toBeLessThanOrEqual(result.ambiguous_bound)
}, 300_000)
