/** How often the two clocks are compared. */
const LOOK_EVERY_MS = 1_000

/** Less is a correction as time servers make them, and as good as no wait. */
const LEAST_SETBACK_MS = 2_000

/** By how much the clock on the wall was set back since it was last compared with the steady one. */
export function setbackMs(before: ClockReading, now: ClockReading): number {
  return now.steadyMs - before.steadyMs - (now.wallMs - before.wallMs)
}

export interface ClockReading {
  readonly wallMs: number
  readonly steadyMs: number
}

/**
 * BullMQ keeps by the clock on the wall when a delayed job is due. Where that clock is set back by an hour, a document
 * that was to wait a second would wait an hour and a second. So each worker watches for that, and lets all delayed jobs
 * out when it happens: too early does no harm, because the gate decides when anything is sent.
 */
export class ClockWatch {
  readonly #timer: NodeJS.Timeout
  #last = read()

  constructor(onSetBack: () => Promise<void>) {
    this.#timer = setInterval(() => {
      const now = read()
      const setback = setbackMs(this.#last, now)
      this.#last = now
      // A promotion fails only when the connection is closed for good; then there is nothing left to let out.
      if (setback > LEAST_SETBACK_MS) onSetBack().catch(() => undefined)
    }, LOOK_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const read = (): ClockReading => ({ wallMs: Date.now(), steadyMs: performance.now() })
