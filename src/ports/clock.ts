/** Time for the use cases. It is injected, so a test or a simulation can be its only source. */
export interface Clock {
  /** Epoch milliseconds of the wall clock, for people. An administrator may set it at any moment. */
  readonly wall: () => number
  /** Milliseconds of this process's monotonic clock, for durations and timeouts. */
  readonly monotonic: () => number
  /**
   * Epoch milliseconds of a monotonic clock that all processes share. It measures the time of a document in the queue.
   */
  readonly shared: () => number
  /** Rejects with the reason of `signal` when it aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}
