import Table from 'cli-table3'
import type { BaselineResult } from './compare/run-baseline.ts'
import type { RegimeResult } from './run-regime.ts'

export function tableOf(results: readonly RegimeResult[]): string {
  const table = new Table({
    head: [
      'regime',
      'goodput',
      'refused',
      'lost',
      'burnt',
      'Jain',
      'recovery',
      'in outage',
      '402',
      'undercut',
      'reads',
    ],
  })
  for (const result of results) {
    table.push([
      result.name,
      result.goodput === null ? '' : result.goodput.toFixed(3),
      `${(100 * result.refused).toFixed(2)} %`,
      result.lost,
      result.attemptsBurnt,
      result.jain.toFixed(3),
      result.recoveryWindows === null ? '' : `${result.recoveryWindows.toFixed(1)} windows`,
      result.outageRequests ?? '',
      result.c402,
      result.undercut,
      result.startsPerRequest.toFixed(2),
    ])
  }
  return table.toString()
}

/** What others reach in the same regimes, and what of ours that is. */
export function compareTable(ours: readonly RegimeResult[], others: readonly BaselineResult[]): string {
  const table = new Table({ head: ['regime', 'client', 'goodput', 'ours ÷ theirs', 'refused', 'lost', 'undercut'] })
  for (const other of others) {
    const our = ours.find(({ name }) => name === other.name)?.goodput ?? null
    table.push([
      other.name,
      other.client,
      other.goodput === null ? '' : other.goodput.toFixed(3),
      other.goodput === null || our === null ? '' : (our / other.goodput).toFixed(2),
      `${(100 * other.refused).toFixed(1)} %`,
      other.lost,
      other.undercut,
    ])
  }
  return table.toString()
}

/** The figures that the goals are set for. */
export function summaryOf(results: readonly RegimeResult[]): Readonly<Record<string, number | null>> {
  const goodput = results.map((result) => result.goodput).filter((share) => share !== null)
  const refused = results.map((result) => result.refused)
  const recoveries = results.map((result) => result.recoveryWindows).filter((windows) => windows !== null)
  const outages = results.map((result) => result.outageRequests).filter((requests) => requests !== null)
  return {
    goodput_mean: mean(goodput),
    goodput_worst: least(goodput),
    refused_mean: mean(refused),
    refused_later_mean: mean(results.flatMap(({ refusedLater }) => refusedLater ?? [])),
    refused_worst: most(refused),
    lost: sum(results.map((result) => result.lost)),
    attempts_burnt: sum(results.map((result) => result.attemptsBurnt)),
    outage_requests: most(outages),
    recover_windows: most(recoveries),
    jain: least(results.map((result) => result.jain)),
    c402: sum(results.map((result) => result.c402)),
    reads_per_request_worst: most(results.map((result) => result.startsPerRequest)),
    retry_after_undercut: sum(results.map((result) => result.undercut)),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const rounded = (number: number): number => Math.round(number * 10_000) / 10_000
const mean = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : rounded(sum(numbers) / numbers.length)
const least = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : rounded(Math.min(...numbers))
const most = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : rounded(Math.max(...numbers))
