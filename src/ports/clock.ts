/** Time as the use cases read it: injected, so that a test or a simulation can be its only source. */
export interface Clock {
  /** Epoch milliseconds by the wall clock, for what people read. An administrator may set it at any moment. */
  readonly wall: () => number
  /** Milliseconds by the monotonic clock of this process: durations and patience are counted with it. */
  readonly monotonic: () => number
  /** Epoch milliseconds by a monotonic clock that all processes share: how long a document has waited. */
  readonly shared: () => number
  /** Rejects with the reason of `signal` when it aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}
