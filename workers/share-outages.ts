import type { Events, SluiceEvents } from '#src/events.ts'
import { outageName, type RedisOutages } from '#src/ledger/redis-outages.ts'
import type { OutageChange } from '#src/observe/dependency-monitor.ts'

/**
 * Keeps in Redis what `status`, a process of its own, says of outages: written once for each cause, removed at the first
 * success after it. Redis may be what is out, so nothing waits for it.
 */
export class OutageSharing implements Disposable {
  readonly #events: Events
  readonly #outages: RedisOutages
  /** Known to work since the last outage. */
  readonly #working = new Set<string>()

  constructor(events: Events, outages: RedisOutages) {
    this.#events = events
    this.#outages = outages
    events.on('dependency:works', this.#onWorks)
  }

  changed({ kind, outage: { dependency, service, cause } }: OutageChange): void {
    if (kind === 'recovered') return this.#onWorks({ dependency, service })
    this.#working.delete(outageName({ dependency, service }))
    const named = service === undefined ? {} : { service }
    void this.#outages.report({ dependency, ...named, cause, since: Date.now() }).catch(() => undefined)
  }

  [Symbol.dispose](): void {
    this.#events.off('dependency:works', this.#onWorks)
  }

  readonly #onWorks = (of: SluiceEvents['dependency:works'][0]): void => {
    const name = outageName(of)
    if (this.#working.has(name)) return
    this.#working.add(name)
    void this.#outages.clear(of).catch(() => undefined)
  }
}
