import { parseArgs } from 'node:util'
import { campaign, isBroken } from './campaign.ts'
import { CLASSES, FAULTS } from './classes/index.ts'
import type { FaultClass } from './classes/fault-class.ts'
import { FOUND_BY, isMutant, MUTANTS } from './mutants.ts'
import { SCENARIOS } from './plan.ts'
import { openS3Target } from './world/s3-target.ts'
import { folderTarget } from './world/environment.ts'

/*
 * `npm run test:campaign -- --runs N --seed S`: N runs with seeds S, S + 1, …, several side by side. Each breach is reported
 * with its seed; the last line is the sum as one JSON object. Exit code 2 with a breach.
 * `--runs 1 --seed X` plays a single one again, `--verbose` shows its plan. `--scenario budget,numbers` and `--faults
 * flush,kill` draw from these only.
 * `--mutants` plants each mistake, or those of the faults that `--faults` names, and searches for it.
 * With `--s3` source and store are in buckets of a real object store instead of folders.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '6' },
    s3: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    faults: { type: 'string' },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const faults = namedIn('faults', values.faults, FAULTS)
const mutant = namedIn('mutant', values.mutant, Object.keys(MUTANTS).filter(isMutant))?.[0] ?? null
const target = values.s3 ? await openS3Target() : folderTarget
if ('reason' in target) {
  process.stderr.write(`nothing was run: ${target.reason}\n`)
  process.exit(1)
}
await using ground = target
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const options = {
  target: ground,
  sideBySide: Number(values['side-by-side']),
  short: values.short || values.mutants,
  scenarios: namedIn('scenario', values.scenario, SCENARIOS),
  verbose: values.verbose,
  seed: Number(values.seed),
  say,
}

/** Every mistake by the fault that is to find it; within a hundred runs. */
async function searchAll(): Promise<number> {
  const missed: string[] = []
  const targetKind = values.s3 ? 's3' : 'folder'
  const searched = FOUND_BY.filter(([fault]) => {
    const { target: only = targetKind }: FaultClass = CLASSES[fault]
    return only === targetKind && (faults === undefined || faults.includes(fault))
  })
  for (const [fault, planted] of searched) {
    const breaches: string[] = []
    const result = await campaign({
      ...options,
      scenarios: ['faults'],
      runs: 100,
      faults: [fault],
      mutant: planted,
      untilFound: true,
      say: (line) => void (line.startsWith('  seed') && breaches.push(line)),
    })
    if (!isBroken(result)) missed.push(`${planted} by ${fault}`)
    say(`${planted}: ${isBroken(result) ? 'found' : 'NOT FOUND'} by ${fault} within ${result.runs} runs`)
    if (breaches[0] !== undefined) say(breaches[0])
  }
  say(JSON.stringify({ mistakes: searched.length, missed }))
  return missed.length
}

async function play(): Promise<number> {
  const result = await campaign({
    ...options,
    runs: Number(values.runs),
    faults,
    mutant,
    untilFound: mutant !== null,
  })
  say(JSON.stringify(result))
  return isBroken(result) || result.unjudged > 0 ? 1 : 0
}

process.exitCode = (await (values.mutants ? searchAll() : play())) > 0 ? 2 : 0

function namedIn<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
): readonly T[] | undefined {
  return text?.split(',').map((name) => {
    const one = known.find((each) => each === name)
    if (one === undefined) throw new Error(`--${flag}: ${name} is none of ${known.join(', ')}`)
    return one
  })
}
