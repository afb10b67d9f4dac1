import type { Dependency } from '#src/document/dependency.ts'
import type { Events } from '#src/events.ts'
import type { RedisOutages } from '#src/ledger/redis-outages.ts'
import type { OutageChange } from '#src/observe/dependency-monitor.ts'

/**
 * Keeps in Redis what `status`, a process of its own, says of outages: written once for each cause, removed at the first
 * success after it. Redis may be what is out, so nothing waits for it.
 */
export class OutageSharing implements Disposable {
  readonly #events: Events
  readonly #outages: RedisOutages
  /** Known to work since the last outage. */
  readonly #working = new Set<Dependency>()

  constructor(events: Events, outages: RedisOutages) {
    this.#events = events
    this.#outages = outages
    events.on('dependency:works', this.#onWorks)
  }

  changed({ kind, outage: { dependency, cause } }: OutageChange): void {
    if (kind === 'recovered') return this.#onWorks({ dependency })
    this.#working.delete(dependency)
    void this.#outages.report({ dependency, cause, since: Date.now() }).catch(() => undefined)
  }

  [Symbol.dispose](): void {
    this.#events.off('dependency:works', this.#onWorks)
  }

  readonly #onWorks = ({ dependency }: { readonly dependency: Dependency }): void => {
    if (this.#working.has(dependency)) return
    this.#working.add(dependency)
    void this.#outages.clear(dependency).catch(() => undefined)
  }
}
