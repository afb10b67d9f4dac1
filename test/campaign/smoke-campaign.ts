import { expect } from 'vitest'
import { campaign, isBroken, type CampaignOptions } from './campaign.ts'

/** A short campaign of the program as it is, which must break no law. */
export async function smokeCampaign(
  options: Pick<CampaignOptions, 'runs' | 'seed' | 'target' | 'sideBySide' | 'faults' | 'scenarios'>,
): Promise<void> {
  const lines: string[] = []
  const result = await campaign({
    ...options,
    short: true,
    mutant: null,
    verbose: false,
    untilFound: false,
    say: (line) => lines.push(line),
  })
  const report = lines.join('\n')
  expect(result, report).toMatchObject({ runs: options.runs, unjudged: 0 })
  expect(isBroken(result), report).toBe(false)
}
