import { readFileSync, writeFileSync } from 'node:fs'
import { startTestRedis } from '../../../test/support/redis.ts'
import { aimd, awsAdaptive, omniscient } from './baselines.ts'
import { draw } from './draw.ts'
import { ABLATIONS, without } from './ablations.ts'
import { controlLaw, loadLaw } from './law-policy.ts'
import { measuredLaw } from './measured-law.ts'
import type { PolicyMaker } from './policy.ts'
import {
  ablationTable,
  describe,
  excess,
  extraWaitLine,
  familyTable,
  goodput,
  mean,
  policyTable,
  type Row,
  summary,
  worstOf,
} from './report.ts'
import { runDrawn } from './run-drawn.ts'
import { simulateDrawn } from './simulate-drawn.ts'

export interface RandomOptions {
  readonly draws: number
  readonly seed: number
  /** Other clients beside the law. */
  readonly compare: boolean
  /** The scripts in a real Redis, asked by all processes, instead of the law alone. */
  readonly scripts: boolean
  readonly worst: number
  /** The first draw of the seed, so that a long run can be made in parts. */
  readonly from: number
  /** Mechanisms of the law that are removed, one at a time, instead of all else: paired with the whole law. */
  readonly without: readonly string[]
  /** The rows go to this file as well, for `reportParts`. */
  readonly save?: string | undefined
}

/** Rows by policy; the drawn service by its seed. */
type Saved = readonly (readonly [policy: string, rows: readonly (Omit<Row, 'drawn'> & { readonly seed: number })[]])[]

const OTHERS: Readonly<Record<string, PolicyMaker>> = {
  'the law before (gauge and cubic)': measuredLaw,
  AIMD: aimd,
  'AWS adaptive, shared': awsAdaptive,
  'omniscient from 10': omniscient(10),
}

/** Draws services, runs the law and others against each, and prints the distributions. The last line is JSON. */
export async function simRandom(options: RandomOptions): Promise<void> {
  const { draws, seed, compare, worst } = options
  const services = Array.from({ length: draws }, (_, index) => draw(seed * 100_000 + options.from + index))
  const best = services.map((drawn) => runDrawn(drawn, omniscient(), true).done)
  const rowsOf = (make: PolicyMaker, ideal = false): Row[] =>
    services.map((drawn, i) => ({ drawn, best: best[i] ?? 0, result: runDrawn(drawn, make, ideal) }))
  const rows = new Map<string, readonly Row[]>()
  if (options.without.length > 0) return ablate(rowsOf, options.without)
  const scripts = options.scripts ? await scriptRows() : null
  const ofLaw = scripts ?? rowsOf(controlLaw())
  rows.set(options.scripts ? 'the law, scripts in Redis' : 'the law', ofLaw)
  if (compare) for (const [name, make] of Object.entries(OTHERS)) rows.set(name, rowsOf(make, name.startsWith('omni')))
  if (options.save !== undefined) save(options.save, rows)
  console.log(policyTable(rows))
  console.log(familyTable(ofLaw))
  console.log(extraWaitLine(ofLaw))
  console.log(`The ${worst} worst: goodput, refused beyond noise, service`)
  console.log(worstOf(ofLaw, worst))
  const more =
    scripts === null
      ? {}
      : { jain_mean: mean(scripts.map(({ jain }) => jain)), calls_per_request: mean(scripts.map(({ calls }) => calls)) }
  console.log(JSON.stringify({ ...summary(ofLaw), ...more }))

  async function scriptRows() {
    await using server = await startTestRedis()
    const found = []
    for (const [i, drawn] of services.entries()) {
      const result = await simulateDrawn(drawn, server.connection)
      const row = { drawn, best: best[i] ?? 0, result, jain: result.jain, calls: result.callsPerRequest }
      const shown = [goodput(row), excess(row), result.jain, result.callsPerRequest].map((value) => value.toFixed(3))
      console.error(`${i + 1} of ${draws}: ${shown.join(' ')} ${describe(drawn)}`)
      found.push(row)
    }
    return found
  }
}

/** The whole law against the law without each of the mechanisms, on the same draws. */
function ablate(rowsOf: (make: PolicyMaker) => Row[], names: readonly string[]): void {
  const whole = rowsOf(controlLaw())
  const found = new Map<string, readonly Row[]>()
  for (const name of names.includes('all') ? Object.keys(ABLATIONS) : names) {
    found.set(
      name,
      rowsOf(
        controlLaw(
          undefined,
          loadLaw((source) => without(name, source)),
        ),
      ),
    )
    console.error(`${found.size}: ${name}`)
  }
  console.log(ablationTable(whole, found))
}

function save(file: string, rows: ReadonlyMap<string, readonly Row[]>): void {
  const saved: Saved = [...rows].map(([name, own]) => [
    name,
    own.map(({ drawn, best, result }) => ({ seed: drawn.seed, best, result })),
  ])
  writeFileSync(file, JSON.stringify(saved))
}

/** Puts the saved parts of a run together. */
export function reportParts(files: readonly string[], worst: number): void {
  const rows = new Map<string, Row[]>()
  for (const file of files) {
    for (const [name, own] of JSON.parse(readFileSync(file, 'utf8')) as Saved) {
      const known = rows.get(name) ?? []
      rows.set(name, [...known, ...own.map(({ seed, best, result }) => ({ drawn: draw(seed), best, result }))])
    }
  }
  const [own = []] = rows.values()
  console.log(policyTable(rows))
  console.log(familyTable(own))
  console.log(extraWaitLine(own))
  console.log(`The ${worst} worst: goodput, refused beyond noise, service`)
  console.log(worstOf(own, worst))
  console.log(JSON.stringify(summary(own)))
}
