import { createHash } from 'node:crypto'
import type { DeadLetter } from '#src/document/record.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { type Archive, kindOf, markdownOf } from '../world/archive.ts'
import type { Finished } from '../../support/sluice.ts'
import { type Charge, creditsOf } from '../service/charges.ts'
import { readLedger } from './redis-outside.ts'
import type { StoreOutside } from './store-outside.ts'
import { lostBy, type Interruption } from './interruptions.ts'
import { marksIn } from '../world/paged-documents.ts'
import { pagedBreaches } from './paged-laws.ts'
import type { Budget, FaultPlan } from '../plan.ts'

/** Each law, and what it means that it was broken. */
export const LAWS = {
  lost: 'A document is neither in the store nor listed as failed, or its outputs are of something else.',
  paidTwice: 'A content was charged again without a reason.',
  torn: 'A document, a receipt or a letter is not whole.',
  unexplained: 'A process did what it must not do.',
  conservation: 'The ledger and the store do not agree.',
  endless: 'A run did not end.',
  falseZero: 'A document was unfinished when a run exited 0.',
  numbers: 'Numbers of summaries, metrics and records are not what happened.',
} as const

/** What a run broke, one sentence each, by the law it broke. All empty: nothing was broken. */
export type Breaches = Readonly<Record<keyof typeof LAWS, string[]>>

export const noBreaches = (): Breaches =>
  Object.fromEntries(Object.keys(LAWS).map((law) => [law, [] as string[]])) as unknown as Breaches

export const isEmpty = (breaches: Breaches): boolean => Object.values(breaches).flat().length === 0

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** What must hold at every moment, also right after a kill. */
export async function checkAtRest(store: StoreOutside, redis: RedisConnection, breaches: Breaches): Promise<void> {
  breaches.torn.push(...store.torn)
  for (const { key, receipt, pieces } of store.records.values()) {
    const receipts = pieces?.map((piece) => piece.receipt) ?? [receipt]
    if (!receipts.every((one) => one !== null && store.receipts.has(one)))
      breaches.torn.push(`${key} has outputs and no receipt`)
  }
  const { entries, disagreements } = await readLedger(redis)
  for (const [key, reported] of entries) {
    if (/^[drDR]$/.test(reported) && !store.records.has(key))
      breaches.conservation.push(`${key} is "done" and not in the store`)
  }
  if (disagreements > 0) breaches.conservation.push(`${disagreements} counts differ from the entries`)
}

/** What must hold when a run came to its end without faults: every document is there, or listed with its reason. */
export async function checkOutcome(
  archive: Archive,
  store: StoreOutside,
  { plan, charges }: Served,
  breaches: Breaches,
): Promise<void> {
  for (const key of archive.keys) {
    const { bytes, version } = await archive.read(key)
    const kind = kindOf(bytes)
    if (kind === 'good' || kind === 'hard') checkGood({ key, bytes, version, plan, charges }, store, breaches)
    else checkBad(key, version, store, breaches)
  }
  for (const key of [...store.records.keys(), ...store.letters.keys()]) {
    if (!archive.everSeen.has(key)) breaches.unexplained.push(`${key} never was in the source`)
  }
  for (const [key, { failure }] of store.letters) {
    if (!archive.keys.includes(key)) breaches.unexplained.push(`${key} is gone and still failed: ${failure.code}`)
  }
}

interface Served {
  readonly plan: Pick<FaultPlan, 'routing' | 'bursts'>
  readonly charges: readonly Charge[]
}

interface GoodDocument extends Served {
  readonly key: string
  readonly bytes: Buffer
  readonly version: string
}

function checkGood(
  { key, bytes, version, plan, charges }: GoodDocument,
  store: StoreOutside,
  { lost, unexplained }: Breaches,
): void {
  const marks = marksIn(bytes)
  const record = store.records.get(key)
  const letter = store.letters.get(key)
  const freeAnswers = charges.filter(
    ({ units, status, charged }) => status === 200 && !charged && units.includes(sha256(bytes)),
  )
  if (letter !== undefined && freeAnswers.length > 1 && mayBeOfPortal(letter, store, plan)) return
  if (letter !== undefined) unexplained.push(`${key} ended failed: ${letter.failure.code}, ${letter.failure.message}`)
  else if (record === undefined) lost.push(`${key} has neither record nor dead letter`)
  else if (record.contentHash !== sha256(bytes)) lost.push(`${key}: the outputs are of other bytes`)
  else if (record.version !== version) lost.push(`${key}: the record is of another version`)
  else if (marks.length > 0 && plan.routing !== null) {
    lost.push(...pagedBreaches(marks, record, store.markdown.get(key) ?? '', plan))
  } else if (store.markdown.get(key) !== markdownOf(bytes)) {
    lost.push(`${key}: the Markdown is not what the service answered`)
  }
}

/** Fewer than five documents that alone meet the same page of a portal twice are refused as their own. */
function mayBeOfPortal({ failure }: DeadLetter, { letters }: StoreOutside, { bursts }: GoodDocument['plan']): boolean {
  const isRepeated = ({ code, repeats }: DeadLetter['failure']): boolean => code === 'bad_answer' && repeats === true
  const alike = [...letters.values()].filter((letter) => isRepeated(letter.failure))
  return bursts.some(({ reply }) => reply === 'portal') && isRepeated(failure) && alike.length < 5
}

function checkBad(key: string, version: string, store: StoreOutside, { lost, unexplained }: Breaches): void {
  const letter = store.letters.get(key)
  if (letter === undefined) lost.push(`${key} cannot be parsed and has no dead letter`)
  else if (letter.version !== version) lost.push(`${key}: the dead letter is of another version`)
  if (store.records.get(key)?.version === version) unexplained.push(`${key} has outputs that it cannot have`)
}

/** A run that was started at `startedAt` exits 0: all that was in its source, and was not touched since, has ended. */
export async function checkZero(
  archive: Archive,
  store: StoreOutside,
  startedAt: number,
  { falseZero }: Breaches,
): Promise<void> {
  for (const key of archive.keys) {
    if (archive.touchedAt(key) >= startedAt) continue
    const { version } = await archive.read(key)
    if (store.records.get(key)?.version === version || store.letters.get(key)?.version === version) continue
    falseZero.push(`a run exits 0, and ${key} is neither done nor failed`)
  }
}

/** A run that saw none of its source exits 0: the ledger knows of nothing that has not ended. */
export async function checkEmptyZero(redis: RedisConnection, { falseZero }: Breaches): Promise<void> {
  const { entries } = await readLedger(redis)
  for (const [key, reported] of entries)
    if (reported === 'p') falseZero.push(`a run of an empty source exits 0, and ${key} is pending`)
}

/** What may have kept the answer to a request from being received and kept. */
export interface Doubt {
  readonly interruptions: readonly Interruption[]
  /** As in `lostBy`. */
  readonly keepMs: number
  /** Contents that Sluice says were sent again in doubt, each as often as it was; null where Redis lost data and forgot. */
  readonly counted: readonly string[] | null
  /** The content (SHA-256) that a unit of a charge belongs to. */
  readonly contentOf: (unit: string) => string
}

/**
 * Law 2 from the service's books: a content is charged again only for an answer that the service cut off itself, or
 * that was in flight to a process that was interrupted; never for one that reached a process that lived. What is sent again
 * must be counted as in doubt.
 */
export function checkCharges(
  charges: readonly Charge[],
  { interruptions, keepMs, counted, contentOf }: Doubt,
  { paidTwice }: Breaches,
): void {
  for (const { at, units, kept } of charges) {
    // Sent again for a process that stood still, and before it came to itself and kept its answer: in doubt.
    const isLate = charges.some(
      (one) => one.at < at && one.units.some((unit) => units.includes(unit)) && isKeptLate(one, interruptions, keepMs),
    )
    if (kept && !isLate) paidTwice.push(`${units.join(' ')} was sent although its receipt was there`)
  }
  for (const unit of new Set(charges.flatMap(({ units }) => units))) {
    const charged = charges.filter((charge) => charge.units.includes(unit) && charge.charged)
    const cutOff = charged.filter(({ fault }) => fault !== null).length
    const lost = charged.filter((charge) => charge.fault === null && lostBy(charge, interruptions, keepMs)).length
    if (charged.length > 1 + cutOff + lost) {
      const excused = `${cutOff} answers were cut off, ${lost} in flight to processes that were interrupted`
      paidTwice.push(`${unit} was charged ${charged.length} times; ${excused}`)
    }
    const again = counted?.filter((one) => one === contentOf(unit)).length ?? Infinity
    if (charged.length > 1 + cutOff + again) {
      paidTwice.push(`${unit} was charged ${charged.length} times; ${cutOff} cut off, ${again} counted as in doubt`)
    }
  }
}

/** The process went on after it was interrupted, and may have kept the answer then. */
function isKeptLate(charge: Charge, interruptions: readonly Interruption[], keepMs: number): boolean {
  const alive = interruptions.filter(({ ended }) => !ended)
  return charge.charged && lostBy(charge, alive, keepMs) !== undefined
}

/** The ledger must say of each document what the store says. */
export async function checkLedger(
  archive: Archive,
  store: StoreOutside,
  redis: RedisConnection,
  { conservation }: Breaches,
): Promise<void> {
  const { entries, disagreements } = await readLedger(redis)
  if (disagreements > 0) conservation.push(`${disagreements} counts differ from the entries at the end`)
  for (const key of archive.keys) {
    const reported = entries.get(key)
    const done = store.records.get(key)?.outcome === 'partial' ? 'r' : 'd'
    const expected = store.letters.has(key) ? 'f' : store.records.has(key) ? done : 'p'
    // A capital letter: the engine parsed it.
    if (reported?.toLowerCase() !== expected)
      conservation.push(`${key} is "${reported ?? 'unknown'}" in the ledger, "${expected}" in the store`)
  }
  for (const [key, reported] of entries) if (reported === 'p') conservation.push(`${key} is still pending`)
}

/** The last run's exit code is honest, and no process ended with the trace of a bug. */
export function checkEnds(ended: readonly Finished[], exitCode: number, { unexplained }: Breaches): void {
  const last = ended.findLast(({ stdout }) => stdout.includes('"event":"summary"'))
  if (last?.code !== exitCode) unexplained.push(`the last run exits with ${last?.code}, not ${exitCode}`)
  for (const { stderr } of ended) {
    const trace = /^.*\n +at .*$/m.exec(stderr)
    if (trace !== null) unexplained.push(`a process printed: ${trace[0]}`)
  }
}

interface Spent {
  readonly budget: Budget
  /** Requests that can be in flight in all processes. */
  readonly slots: number
  readonly charges: readonly Charge[]
  readonly interruptions: readonly Interruption[]
  readonly losesData: boolean
  /** The capped run ended because of its cap. */
  readonly isHalted: boolean
}

/** One sentence where a capped run and its workers spent more than the cap allows, or halted though more could be bought. */
export function budgetBreaches(spent: Spent): readonly string[] {
  const { cap, price, rises, emptyAfter } = spent.budget
  const [charged, bound] = [creditsOf(spent.charges.filter((one) => one.charged)), boundOf(spent)]
  // A request that was free gives back what was set aside for it, which may be after the halt.
  const isCalm = rises.length === 0 && emptyAfter === null && spent.charges.every((one) => one.charged)
  const isUndisturbed = !spent.losesData && spent.interruptions.length === 0
  return [
    ...(charged > cap + bound
      ? [`${charged} charged under a cap of ${cap}: ${charged - cap} over, and ${bound} may be`]
      : []),
    ...(spent.isHalted && isCalm && isUndisturbed && cap - charged >= price
      ? [`${cap - charged} of a cap of ${cap} are left, and a document costs ${price}`]
      : []),
  ]
}

/**
 * Beyond the cap by the promise: the first document, whose price no process knew; after a rise the difference, for the
 * requests that can be in flight. A process that is killed reports nothing of its unsaved requests: they count as they
 * were reserved, and not at all where Redis lost the reservation too.
 */
function boundOf({ budget: { cap, price, rises }, slots, charges, interruptions, losesData }: Spent): number {
  const highest = Math.max(price, ...charges.map(({ credits }) => credits))
  const first = Math.max(0, price - cap)
  const risen = rises.length > 0 ? (highest - price) * slots : 0
  const unsaved = charges.flatMap(({ charged, at, units, credits }) => {
    const cut = interruptions.find(({ until, kept }) => at <= until && !units.some((unit) => kept.has(unit)))
    if (!charged || cut === undefined) return []
    // A price is reported in the step that ends a request, as its answer is saved; the model says 1 before.
    return [credits - (losesData ? 0 : cut.kept.size > 0 ? price : 1)]
  })
  return first + risen + unsaved.reduce((sum, credits) => sum + credits, 0)
}
