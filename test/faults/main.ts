import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { campaign, isBroken, programOf } from './campaign.ts'
import { CLASSES, isClass } from './classes/index.ts'
import type { FaultClass } from './classes/fault-class.ts'
import { FOUND_BY, isMutant, type Mutant, MUTANTS } from './mutants.ts'
import { FAULTS } from './plan.ts'
import { appendRange, rangesLeft, readRanges, sumOfRanges } from './ranges.ts'
import { openS3Target } from './s3-target.ts'
import { folderTarget } from './environment.ts'

/*
 * `npm run test:faults -- --runs N --seed S`: N runs with seeds S, S + 1, …, several side by side. Each breach is reported
 * with its seed; the last line is the sum as one JSON object. A range goes on where it was cut off with the next seed.
 * `--runs 1 --seed X` plays a single one again, `--verbose` shows its plan, `--faults flush,kill` draws from these only.
 * `--log FILE` plays ranges of `--range` seeds (20), appends one JSON line for each, and leaves out those that the file has: a
 * campaign that was cut off goes on when it is started again. `--minutes` begins no range after so many.
 * `--mutants` plants the mistake of each class, or of those that `--faults` names, and searches for it. `--kills N` is one
 * run of ten times as many documents,
 * in which N processes are killed.
 * With `--routed` documents are routed by page: PDFs of which single pages are bought. With `--s3` source and store are in buckets of a real object store instead of folders.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '6' },
    s3: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    routed: { type: 'boolean', default: false },
    faults: { type: 'string' },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    kills: { type: 'string' },
    log: { type: 'string' },
    range: { type: 'string', default: '20' },
    minutes: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const { kills } = values
const mutant = mutantOf(values.mutant)
const faults = values.faults?.split(',').map((name) => {
  const kind = FAULTS.find((one) => one === name)
  if (kind === undefined) throw new Error(`--faults are some of ${FAULTS.join(', ')}`)
  return kind
})
const target = values.s3 ? await openS3Target() : folderTarget
if ('reason' in target) {
  process.stderr.write(`nothing was run: ${target.reason}\n`)
  process.exit(1)
}
await using ground = target
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const options = {
  target: ground,
  sideBySide: kills === undefined ? Number(values['side-by-side']) : 1,
  short: values.short || values.mutants,
  routed: values.routed,
  verbose: values.verbose,
  say,
}

/** Every mistake by the class that is to find it; within a hundred runs. */
async function searchAll(): Promise<number> {
  const missed: string[] = []
  const venueKind = values.s3 ? 's3' : 'folder'
  const searched = FOUND_BY.filter(([fault]) => {
    const { target: only = venueKind }: Partial<FaultClass> = isClass(fault) ? CLASSES[fault] : {}
    return only === venueKind && (faults === undefined || faults.includes(fault))
  })
  for (const [fault, planted] of searched) {
    if (isLate()) break
    const of = { ...options, runs: 100, seed: Number(values.seed), faults: [fault], mutant: planted, untilFound: true }
    const breaches: string[] = []
    const result = await campaign({ ...of, say: (line) => void (line.startsWith('  seed') && breaches.push(line)) })
    if (!isBroken(result)) missed.push(`${planted} by ${fault}`)
    say(`${planted}: ${isBroken(result) ? 'found' : 'NOT FOUND'} by ${fault} within ${result.runs} runs`)
    if (breaches[0] !== undefined) say(breaches[0])
  }
  say(JSON.stringify({ mistakes: searched.length, missed }))
  return missed.length
}

/** `--minutes` are over: nothing more is begun. */
const isLate = (): boolean => values.minutes !== undefined && performance.now() > 60_000 * Number(values.minutes)

async function playRanges(log: string): Promise<number> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  const all = { seed: Number(values.seed), runs: Number(values.runs) }
  await using program = await programOf({ mutant, faults, routed: values.routed })
  for (const range of rangesLeft(all, Number(values.range), await readRanges(log))) {
    if (isLate()) break
    const result = await campaign({ ...options, ...range, program, faults, mutant, untilFound: false })
    const { seed: first, runs } = range
    await appendRange(log, { first, last: first + runs - 1, commit: commit.trim(), ...result })
  }
  const sum = sumOfRanges(await readRanges(log))
  say(JSON.stringify(sum))
  return isBroken(sum) ? 1 : 0
}

async function play(): Promise<number> {
  if (values.log !== undefined) return playRanges(values.log)
  const result = await campaign({
    ...options,
    runs: kills === undefined ? Number(values.runs) : 1,
    seed: Number(values.seed),
    ...(kills === undefined ? {} : { kills: Number(kills) }),
    faults,
    mutant,
    untilFound: mutant !== null,
  })
  say(JSON.stringify(result))
  return isBroken(result) ? 1 : 0
}

process.exitCode = (await (values.mutants ? searchAll() : play())) > 0 ? 2 : 0

function mutantOf(name: string | undefined): Mutant | null {
  if (name === undefined) return null
  if (isMutant(name)) return name
  throw new Error(`--mutant is one of ${Object.keys(MUTANTS).join(', ')}`)
}
