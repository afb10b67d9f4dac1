import { expect } from 'vitest'
import { campaign, type CampaignOptions } from './campaign.ts'

/** A short campaign of the program as it is, which must break no law. */
export async function smokeCampaign(
  options: Pick<CampaignOptions, 'runs' | 'seed' | 'target' | 'sideBySide' | 'faults' | 'routed'>,
): Promise<void> {
  const said: string[] = []
  const result = await campaign({
    ...options,
    short: true,
    mutant: null,
    verbose: false,
    untilFound: false,
    say: (line) => said.push(line),
  })
  expect(result, said.join('\n')).toMatchObject({
    runs: options.runs,
    unjudged: 0,
    lost: 0,
    paid_twice_received: 0,
    torn: 0,
    unexplained: 0,
    conservation_errors: 0,
    endless: 0,
    exits_0_with_unfinished: 0,
    wrong_numbers: 0,
  })
  expect(result.ambiguous).toBeLessThanOrEqual(result.ambiguous_bound)
}
