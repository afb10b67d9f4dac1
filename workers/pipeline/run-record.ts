import { assertNever } from '#src/kit/assert-never.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { nextStep } from '#src/document/next-step.ts'
import type { Events } from '#src/events.ts'
import { timeOfDay } from '@sluice/limiter/words'
import type { ProcessLease } from '#src/ledger/process-lease.ts'
import type { Halt, LastRun, LastRunReport, RedisLastRun, RunEnding } from '#src/ledger/redis-last-run.ts'
import { withTimeout } from '#src/observe/with-timeout.ts'
import type { LiveStatus } from '#src/view/live.ts'

interface RunRecordOptions {
  readonly lastRun: RedisLastRun
  readonly events: Events
  readonly lease: Pick<ProcessLease, 'id' | 'onHeartbeat'>
  readonly service: Pick<LastRun, 'service' | 'gate'>
}

/** Timeout for Redis at the start and end of a process: the record is for people, and nothing depends on it. */
const PATIENCE_MS = 2_000

/** Writes the state of this process's run, and the halts of the batch. Skips the write while Redis is unavailable. */
export class RunRecord {
  readonly #options: RunRecordOptions
  /** Halts of the batch known to this process, by cause. */
  #known = new Map<Halt['cause'], Halt>()
  /** Documents with a request since then. */
  readonly #begun = new Set<SourceKey>()
  #isFeeding = false

  constructor(options: RunRecordOptions) {
    this.#options = options
    const { events, lease } = options
    events.on('run:halted', (halt) => void this.#halted(halt))
    events.on('request:begun', ({ key, to }) => {
      if (to === 'parser' && this.#known.size > 0) this.#begun.add(key)
    })
    events.on('request:answered', ({ key, verdict }) => {
      if (this.#begun.delete(key) && (verdict === 'parsed' || verdict === 'rejected')) void this.#clearHalts()
    })
    lease.onHeartbeat(() => this.#refresh())
  }

  /** `command`: null for a process that takes the jobs of others. */
  async begin(command: LastRun['command'] | null): Promise<void> {
    this.#isFeeding = command !== null
    if (command === null) return this.#refresh()
    const { lastRun, lease, service } = this.#options
    this.#know([])
    const run = { command, ...service, process: lease.id, startedAt: Date.now(), end: null }
    await withTimeout(lastRun.recordStart(run), PATIENCE_MS)
  }

  async end(ending: RunEnding): Promise<void> {
    const { lastRun, lease } = this.#options
    const write = async (): Promise<void> => {
      if (ending.kind === 'halted') await this.#halted(ending)
      if (this.#isFeeding) await lastRun.recordEnd(lease.id, { ...ending, at: Date.now() })
    }
    await withTimeout(write(), PATIENCE_MS)
    const message = ending.kind === 'halted' || ending.kind === 'failed' ? ending.message : null
    if (this.#isFeeding) this.#options.events.emit('run:ended', { kind: ending.kind, message })
  }

  /** Each document that meets a halt reports it, in each process: duplicates count once. */
  async #halted({ cause, message }: Pick<Halt, 'cause' | 'message'>): Promise<void> {
    if (this.#known.has(cause)) return
    const { lastRun, events } = this.#options
    const halt = { cause, message, since: Date.now() }
    this.#know([...this.#known.values(), halt])
    if (await lastRun.recordHalt(halt).catch(() => true)) events.emit('halt:begun', { cause, message })
  }

  async #clearHalts(): Promise<void> {
    const over = [...this.#known.values()].filter(isOver)
    this.#know([...this.#known.values()].filter((halt) => !over.includes(halt)))
    if (over.length > 0) await this.#options.lastRun.clearHalts(over).catch(() => undefined)
  }

  async #refresh(): Promise<void> {
    this.#know(await this.#options.lastRun.halts().catch(() => [...this.#known.values()]))
  }

  #know(halts: readonly Halt[]): void {
    const isNew = halts.some(({ cause, since }) => this.#known.get(cause)?.since !== since)
    if (isNew || halts.length === 0) this.#begun.clear()
    this.#known = new Map(halts.map((halt) => [halt.cause, halt]))
  }
}

/** A smaller document still fits under an exhausted budget: that halt ends with its month, or with the next run. */
const isOver = ({ cause, since }: Halt): boolean =>
  cause !== 'budget' || new Date(since).toISOString().slice(0, 7) !== new Date().toISOString().slice(0, 7)

/** Describes the last run for people, independent of the settings of the asking process; null before the first run. */
export function describeRun({ run, killedAt, halts }: LastRunReport, now: number): LiveStatus['lastRun'] {
  const [halt] = halts.toSorted((a, b) => a.since - b.since)
  if (run === null && halt === undefined) return null
  const end = run?.end ?? null
  const endedAt = end?.at ?? killedAt
  return {
    state: halt === undefined ? stateOf(end, killedAt) : 'halted',
    command: run?.command ?? null,
    service: run?.service ?? null,
    startedAt: run?.startedAt ?? null,
    endedAt,
    cause: halt?.cause ?? null,
    haltedAt: halt?.since ?? null,
    line: [
      ...(run === null ? [] : [whereOf(run, endedAt, now)]),
      halt === undefined ? endOf(end, killedAt) : `halted at ${timeOfDay(halt.since, now)}: ${halt.message}`,
    ].join(', '),
    next: halt === undefined ? null : nextStep(halt.cause),
  }
}

function stateOf(end: LastRun['end'], killedAt: number | null): NonNullable<LiveStatus['lastRun']>['state'] {
  if (end === null) return killedAt === null ? 'running' : 'killed'
  return end.kind === 'halted' ? 'resumed' : end.kind
}

function whereOf({ command, service, startedAt }: LastRun, endedAt: number | null, now: number): string {
  const where = `sluice ${command} at ${service ?? 'the embedded engine'}`
  const from = timeOfDay(startedAt, now)
  return endedAt === null ? `${where}, since ${from}` : `${where}, from ${from} to ${timeOfDay(endedAt, now)}`
}

function endOf(end: LastRun['end'], killedAt: number | null): string {
  if (end === null) return killedAt === null ? 'running' : 'killed; run again to continue'
  switch (end.kind) {
    case 'complete':
      return 'complete'
    case 'interrupted':
      return 'stopped; run again to continue'
    case 'failed':
      return `failed: ${end.message}`
    case 'halted':
      return `halted (${end.message}); a worker has continued since`
    default:
      return assertNever(end)
  }
}
