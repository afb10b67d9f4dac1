import { parseArgs } from 'node:util'
import { campaign, isBroken } from './campaign.ts'
import { isMutant, MUTANTS } from './mutants.ts'
import { folderVenue } from './stage.ts'

/*
 * `npm run test:faults -- --runs N --seed S`: N runs with seeds S, S + 1, …, several side by side. Each breach is told
 * with its seed; the last line is the sum as one JSON object. `--runs 1 --seed X` plays a single one again, `--verbose`
 * shows its plan.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '6' },
    short: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const { mutant = null } = values
if (mutant !== null && !isMutant(mutant)) throw new Error(`--mutant is one of ${Object.keys(MUTANTS).join(', ')}`)
const result = await campaign({
  runs: Number(values.runs),
  seed: Number(values.seed),
  venue: folderVenue,
  sideBySide: Number(values['side-by-side']),
  short: values.short,
  mutant,
  verbose: values.verbose,
  untilFound: mutant !== null,
  say: (line) => void process.stdout.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exitCode = isBroken(result) ? 2 : 0
