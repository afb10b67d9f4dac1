import type { Dependency } from '#src/document/dependency.ts'
import type { Events, SluiceEvents } from '#src/events.ts'

/** A dependency that is unavailable to this process. */
export interface Outage {
  readonly dependency: Dependency
  /** Name of the service, if there are several; undefined for that of the pipeline. */
  readonly service?: string | undefined
  /** Name of the pipeline in the settings file; null for a shared dependency, or for the only pipeline. */
  readonly pipeline: string | null
  /** Its last error, one sentence. */
  readonly cause: string
  /** Milliseconds on the monitor's clock. */
  readonly since: number
}

export type OutageChange =
  /** The outage started, or continues for another reason. Reported once per cause of an outage. */
  | { readonly kind: 'failing'; readonly outage: Outage }
  | { readonly kind: 'recovered'; readonly outage: Outage; readonly afterMs: number }

export interface MonitorOptions {
  readonly onChange: (change: OutageChange) => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Thresholds of continuous failure, without a success, that make an outage: one failed request is not one. The engine
 * reports its own end, and a poll checks Redis each second, so theirs are shorter.
 */
const CONFIRM_MS: Readonly<Record<Dependency, number>> = {
  engine: 0,
  redis: 500,
  service: 2_000,
  source: 2_000,
  store: 2_000,
}

/** Maximum number of reported causes per outage: texts with a number in them would never end. */
const MAX_CAUSES = 20

const isEngine = ({ dependency }: Outage): boolean => dependency === 'engine'

type Subject = Pick<Outage, 'dependency' | 'service' | 'pipeline'>

const idOf = ({ dependency, service, pipeline }: Subject): string => JSON.stringify([dependency, service, pipeline])

interface Watched {
  outage: Outage
  readonly causes: Set<string>
  readonly timer: NodeJS.Timeout | null
  confirmed: boolean
}

/**
 * Derives the outages of this process and their causes from failures and successes of its dependencies. Each has one of
 * three states: `works` (no failure known), `suspected` (failing for less than `CONFIRM_MS`), and `out`. Any success
 * leads back to `works`.
 */
export class DependencyMonitor implements Disposable {
  readonly #onChange: (change: OutageChange) => void
  readonly #now: () => number
  readonly #watched = new Map<string, Watched>()

  constructor({ onChange, now = () => performance.now() }: MonitorOptions) {
    this.#onChange = onChange
    this.#now = now
  }

  /** Observes these events until disposal. */
  observe(events: Events, pipeline: string | null): Disposable {
    const failed = ({ cause, ...of }: SluiceEvents['dependency:failed'][0]): void =>
      this.#failed({ ...of, pipeline }, cause)
    const works = (of: SluiceEvents['dependency:works'][0]): void => this.#works({ ...of, pipeline })
    events.on('dependency:failed', failed)
    events.on('dependency:works', works)
    const recovered = ({ service }: SluiceEvents['service:recovered'][0]): void =>
      this.#works({ dependency: 'service', service, pipeline })
    events.on('service:recovered', recovered)
    return {
      [Symbol.dispose]: () => {
        events.off('dependency:failed', failed)
        events.off('dependency:works', works)
        events.off('service:recovered', recovered)
        for (const [id, { timer, outage }] of this.#watched) {
          if (outage.pipeline !== pipeline) continue
          clearTimeout(timer ?? undefined)
          this.#watched.delete(id)
        }
      },
    }
  }

  /** Confirmed outages, the longest first. */
  outages(): readonly Outage[] {
    const all = [...this.#watched.values()].filter(({ confirmed }) => confirmed).map(({ outage }) => outage)
    // A failed engine makes its service unreachable, which no message needs to repeat.
    return all.some(isEngine) ? all.filter(({ dependency }) => dependency !== 'service') : all
  }

  isOut(dependency: Dependency): boolean {
    return this.outages().some((outage) => outage.dependency === dependency)
  }

  /** Milliseconds since the start of an outage. */
  durationMs({ since }: Outage): number {
    return this.#now() - since
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#watched.values()) clearTimeout(timer ?? undefined)
    this.#watched.clear()
  }

  #failed(of: Subject, cause: string): void {
    const { dependency } = of
    const id = idOf(of)
    const known = this.#watched.get(id)
    if (known !== undefined) {
      known.outage = { ...known.outage, cause }
      if (known.confirmed) this.#report(known)
      return
    }
    const confirmMs = CONFIRM_MS[dependency]
    const confirm = (): void => {
      const watched = this.#watched.get(id)
      if (watched === undefined) return
      watched.confirmed = true
      this.#report(watched)
    }
    const timer = confirmMs === 0 ? null : setTimeout(confirm, confirmMs).unref()
    const outage = { ...of, cause, since: this.#now() }
    this.#watched.set(id, { outage, causes: new Set(), timer, confirmed: false })
    if (timer === null) confirm()
  }

  #works(of: Subject): void {
    const id = idOf(of)
    const known = this.#watched.get(id)
    if (known === undefined) return
    clearTimeout(known.timer ?? undefined)
    this.#watched.delete(id)
    if (!known.confirmed) return
    this.#onChange({ kind: 'recovered', outage: known.outage, afterMs: this.durationMs(known.outage) })
  }

  #report({ outage, causes }: Watched): void {
    if (causes.has(outage.cause) || causes.size >= MAX_CAUSES) return
    causes.add(outage.cause)
    this.#onChange({ kind: 'failing', outage })
  }
}
