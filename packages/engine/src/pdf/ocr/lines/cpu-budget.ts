/** CPU budget of some work, in milliseconds. Waits on a busy machine do not count. */
export class CpuBudget {
  readonly #limitMs: number
  readonly #cpuMs: () => number
  readonly #startMs: number

  constructor(limitMs: number, cpuMs: () => number = processCpuMs) {
    this.#limitMs = limitMs
    this.#cpuMs = cpuMs
    this.#startMs = cpuMs()
  }

  leftMs(): number {
    return Math.max(0, this.#limitMs - (this.#cpuMs() - this.#startMs))
  }

  /** Returns a part of the remaining budget, at most `limitMs`. */
  part(limitMs: number): CpuBudget {
    return new CpuBudget(Math.min(limitMs, this.leftMs()), this.#cpuMs)
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
