import { appendFile, readFile } from 'node:fs/promises'
import type { CampaignResult } from './campaign.ts'

/** One line of a log of ranges: what was found with these seeds, and on which commit. */
export interface RangeLine extends CampaignResult {
  readonly first: number
  readonly last: number
  readonly commit: string
}

export interface SeedRange {
  readonly seed: number
  readonly runs: number
}

/** The ranges of `size` seeds that a log does not have yet. */
export function rangesLeft(
  { seed, runs }: SeedRange,
  size: number,
  done: readonly Pick<RangeLine, 'first' | 'last'>[],
): readonly SeedRange[] {
  const ranges: SeedRange[] = []
  for (let first = seed; first < seed + runs; first += size) {
    const last = Math.min(first + size, seed + runs) - 1
    if (done.some((one) => one.first <= first && last <= one.last)) continue
    ranges.push({ seed: first, runs: last - first + 1 })
  }
  return ranges
}

export async function readRanges(path: string): Promise<readonly RangeLine[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RangeLine]))
}

export const appendRange = (path: string, line: RangeLine): Promise<void> =>
  appendFile(path, `${JSON.stringify(line)}\n`)

/** What all ranges found together, from the first seed to the last. */
export function sumOfRanges(lines: readonly RangeLine[]): RangeLine {
  const [one, ...others] = lines
  if (one === undefined) throw new Error('no range was played')
  const first = Math.min(...lines.map((line) => line.first))
  const last = Math.max(...lines.map((line) => line.last))
  return { ...one, ...others.reduce<CampaignResult>((sum, line) => plus(sum, line), one), first, last }
}

function plus(sum: CampaignResult, line: CampaignResult): CampaignResult {
  const numbers = Object.entries(sum).flatMap(([name, value]) => {
    const other = line[name as keyof CampaignResult]
    if (typeof value !== 'number' || typeof other !== 'number') return []
    return [[name, name.startsWith('longest') ? Math.max(value, other) : value + other] as const]
  })
  const faults: Record<string, number> = { ...sum.faults }
  for (const [name, count] of Object.entries(line.faults)) faults[name] = (faults[name] ?? 0) + count
  return { ...sum, ...Object.fromEntries(numbers), faults }
}
