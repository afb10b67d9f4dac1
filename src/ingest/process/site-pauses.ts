/** Longest that a run waits for one site; its documents are left to the next run otherwise. */
export const LONGEST_PAUSE_MS = 600_000

/** Sites that asked to be left alone for a time (`Retry-After`), as far as this process has seen. */
export class SitePauses {
  readonly #untilMs = new Map<string, number>()
  readonly #monotonic: () => number

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  asked(address: string, forMs: number): void {
    const now = this.#monotonic()
    for (const [host, until] of this.#untilMs) if (until <= now) this.#untilMs.delete(host)
    this.#untilMs.set(new URL(address).host, now + forMs)
  }

  leftMs(address: string): number {
    if (this.#untilMs.size === 0) return 0
    return Math.max(0, (this.#untilMs.get(new URL(address).host) ?? 0) - this.#monotonic())
  }
}
