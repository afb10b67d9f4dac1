import { parseArgs } from 'node:util'
import { campaign, isBroken } from './campaign.ts'
import { isMutant, MUTANTS } from './mutants.ts'
import { FAULTS } from './plan.ts'
import { openS3Venue } from './s3-venue.ts'
import { folderVenue } from './stage.ts'

/*
 * `npm run test:faults -- --runs N --seed S`: N runs with seeds S, S + 1, …, several side by side. Each breach is told
 * with its seed; the last line is the sum as one JSON object. A range goes on where it was cut off with the next seed.
 * `--runs 1 --seed X` plays a single one again, `--verbose` shows its plan, `--faults flush,kill` draws from these only. `--kills N` is one run of ten times as many documents, in which N processes are killed.
 * With `--s3` source and store are in buckets of a real object store instead of folders.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '6' },
    s3: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    faults: { type: 'string' },
    mutant: { type: 'string' },
    kills: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const { mutant = null, kills } = values
if (mutant !== null && !isMutant(mutant)) throw new Error(`--mutant is one of ${Object.keys(MUTANTS).join(', ')}`)
const faults = values.faults?.split(',').map((name) => {
  const kind = FAULTS.find((one) => one === name)
  if (kind === undefined) throw new Error(`--faults are some of ${FAULTS.join(', ')}`)
  return kind
})
const venue = values.s3 ? await openS3Venue() : folderVenue
if ('reason' in venue) {
  process.stderr.write(`nothing was run: ${venue.reason}\n`)
  process.exit(1)
}
await using ground = venue
const result = await campaign({
  runs: kills === undefined ? Number(values.runs) : 1,
  seed: Number(values.seed),
  venue: ground,
  sideBySide: kills === undefined ? Number(values['side-by-side']) : 1,
  ...(kills === undefined ? {} : { kills: Number(kills) }),
  short: values.short,
  faults,
  mutant,
  verbose: values.verbose,
  untilFound: mutant !== null,
  say: (line) => void process.stdout.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exitCode = isBroken(result) ? 2 : 0
