import type { Clock } from '../sim/simulated-time.ts'

/** The times of a drawn service, passing `factor` times as fast as the clock of this machine. */
export class RealTime implements Clock {
  readonly #factor: number
  #begun = performance.now()

  constructor(factor: number) {
    this.#factor = factor
  }

  begin(): void {
    this.#begun = performance.now()
  }

  get now(): number {
    return (performance.now() - this.#begun) * this.#factor
  }

  after(ms: number, happen: () => void): void {
    setTimeout(happen, Math.max(0, ms) / this.#factor)
  }
}
